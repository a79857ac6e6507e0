//! The certificate for `localhost`, made for the measurements of chapter
//! `send-tax`, and the TLS configurations of server and client: TLS 1.3 with
//! ring and rustls's defaults.

use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::version::TLS13;
use rustls::{ClientConfig, Error, RootCertStore, ServerConfig};

const CERTIFICATE: &[u8] =
    include_bytes!("../../send-tax/certificate/certificate.der");
const KEY: &[u8] = include_bytes!("../../send-tax/certificate/key.der");

/// Returns the TLS configuration of a server.
///
/// # Errors
///
/// If the certificate is not valid.
pub(crate) fn server() -> Result<Arc<ServerConfig>, String> {
    let configuration = || {
        let key = PrivatePkcs8KeyDer::from(KEY);
        ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS13])?
            .with_no_client_auth()
            .with_single_cert(vec![CERTIFICATE.into()], key.into())
    };
    configuration().map(Arc::new).map_err(|error| error.to_string())
}

/// Returns the TLS configuration of a client, which trusts only the
/// experiment's certificate.
///
/// # Errors
///
/// If the certificate is not valid.
pub(crate) fn client() -> Result<Arc<ClientConfig>, String> {
    let configuration = || -> Result<ClientConfig, Error> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(CERTIFICATE))?;
        Ok(ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS13])?
            .with_root_certificates(roots)
            .with_no_client_auth())
    };
    configuration().map(Arc::new).map_err(|error| error.to_string())
}
