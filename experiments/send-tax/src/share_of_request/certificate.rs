//! The configurations of both ends of a TLS connection: the server has a
//! self-signed certificate for `localhost` (ECDSA, P-256), made for these
//! measurements only, and the client trusts it. Everything else is rustls's
//! default with ring: TLS 1.3, the X25519 key exchange and AES-256 in GCM;
//! but sessions are never resumed, so that every handshake is a full one.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};

const CERTIFICATE: &[u8] = include_bytes!("../../certificate/certificate.der");
const KEY: &[u8] = include_bytes!("../../certificate/key.der");

/// Returns the configurations of the client and of the server.
pub fn configurations(
) -> Result<(Arc<ClientConfig>, Arc<ServerConfig>), rustls::Error> {
    let provider = Arc::new(default_provider());
    let certificate = CertificateDer::from(CERTIFICATE);
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone())?;
    let client = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots);
    let mut client = client.with_no_client_auth();
    client.resumption = Resumption::disabled();
    let key = PrivatePkcs8KeyDer::from(KEY);
    let server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())?;
    Ok((Arc::new(client), Arc::new(server)))
}
