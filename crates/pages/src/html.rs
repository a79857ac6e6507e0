//! HTML: what is put into it is escaped, unless it is HTML itself.

use language::pattern;

/// HTML, as [`html!`] makes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Html(pub(crate) String);

/// HTML with a value for each `{}`.
macro_rules! html {
    // Joined, so that a `{name}` within the text, which would not be escaped, is no form.
    ($form:literal $(, $value:expr)* $(,)?) => {
        $crate::html::Html(format!(concat!($form, "") $(, $crate::html::ToHtml::to_html(&$value))*))
    };
}
pub(crate) use html;

/// HTML of each of these, one behind the other.
pub(crate) fn each<T>(of: impl IntoIterator<Item = T>, html: impl FnMut(T) -> Html) -> Html {
    Html(of.into_iter().map(html).map(|html| html.0).collect())
}

/// What can stand in HTML.
pub(crate) trait ToHtml {
    fn to_html(&self) -> String;
}

impl ToHtml for Html {
    fn to_html(&self) -> String {
        self.0.clone()
    }
}

macro_rules! escaped {
    ($($of:ty)*) => {
        $(impl ToHtml for $of {
            fn to_html(&self) -> String {
                escape(&self.to_string())
            }
        })*
    };
}
escaped!(str String usize f64);

impl<T: ToHtml + ?Sized> ToHtml for &T {
    fn to_html(&self) -> String {
        (**self).to_html()
    }
}

/// Nothing, where there is nothing.
impl<T: ToHtml> ToHtml for Option<T> {
    fn to_html(&self) -> String {
        self.as_ref().map(T::to_html).unwrap_or_default()
    }
}

impl<T: ToHtml> ToHtml for Vec<T> {
    fn to_html(&self) -> String {
        self.iter().map(T::to_html).collect()
    }
}

/// Text that stands in HTML, also between quotation marks, and in Markdown, which reads inline HTML too: shown literally,
/// whatever it holds. What means something to HTML, to Markdown or to mdBook's own directives becomes an entity.
pub(crate) fn escape(text: &str) -> String {
    let escaped = |found: &regex::Captures<'_>| {
        let entity = |c: char| match c {
            // A blank line would end a block in Markdown, and no page can show the others.
            _ if c.is_control() => " ".to_owned(),
            _ => format!("&#{};", u32::from(c)),
        };
        found[0].chars().map(entity).collect::<String>()
    };
    // Dashes and dots mean something where several stand together, and with a few others at the beginning.
    pattern!(r#"[[:cntrl:]\x{80}-\x{9f}&<>"'*_`\[\]{}\\~|$!#]|--+|\.\.+|^[-+:=]"#)
        .replace_all(text, escaped)
        .into_owned()
}

/// A name as an anchor: dots stay, everything but letters and digits becomes a hyphen.
pub(crate) fn anchor(kind: &str, id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{kind}-{}", id.chars().map(safe).collect::<String>())
}
