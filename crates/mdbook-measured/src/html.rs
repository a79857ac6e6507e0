//! HTML: what is put into it is escaped, unless it is HTML itself.

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

impl ToHtml for str {
    fn to_html(&self) -> String {
        escape(self)
    }
}

impl ToHtml for String {
    fn to_html(&self) -> String {
        escape(self)
    }
}

impl ToHtml for usize {
    fn to_html(&self) -> String {
        self.to_string()
    }
}

impl ToHtml for f64 {
    fn to_html(&self) -> String {
        self.to_string()
    }
}

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

/// Text that stands in HTML, also between quotation marks, and in Markdown, which reads inline HTML too.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // These mean something to Markdown.
            '*' => escaped.push_str("&#42;"),
            '_' => escaped.push_str("&#95;"),
            '`' => escaped.push_str("&#96;"),
            '[' => escaped.push_str("&#91;"),
            ']' => escaped.push_str("&#93;"),
            '\n' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A name as an anchor: dots stay, everything but letters and digits becomes a hyphen.
pub(crate) fn anchor(kind: &str, id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{kind}-{}", id.chars().map(safe).collect::<String>())
}

/// The relative path from a page to the root of the site: empty for a page at the root.
pub(crate) fn to_root(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}
