//! HTML with inserted values, which are escaped unless they are HTML themselves.

use language::pattern;

/// Text that is already HTML, and isn't escaped when it is inserted into other HTML.
#[derive(Debug, Clone, Default)]
pub(crate) struct Html(pub(crate) String);

/// Creates HTML from a literal in which each `{}` is replaced by a value. Text is escaped.
macro_rules! html {
    // `concat!` turns a `{name}` in the literal into an error. Without it, `{name}` would be a
    // format argument, whose value would not be escaped.
    ($form:literal $(, $value:expr)* $(,)?) => {
        $crate::html::Html(format!(concat!($form, "") $(, $crate::html::ToHtml::to_html(&$value))*))
    };
}
pub(crate) use html;

/// Converts each item to HTML with the function `html`, and concatenates the results.
pub(crate) fn each<T>(of: impl IntoIterator<Item = T>, html: impl FnMut(T) -> Html) -> Html {
    Html(of.into_iter().map(html).map(|html| html.0).collect())
}

/// A value that can be inserted into HTML, where it is escaped if necessary.
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

/// Escapes text so that it is shown literally in HTML, in attributes and in Markdown, which also
/// parses inline HTML. Characters with a special meaning in HTML, in Markdown or in mdBook's own
/// directives become entities.
pub(crate) fn escape(text: &str) -> String {
    let escaped = |found: &regex::Captures<'_>| {
        let entity = |c: char| match c {
            // A blank line would end a block in Markdown, and other control characters can't be
            // shown.
            _ if c.is_control() => " ".to_owned(),
            _ => format!("&#{};", u32::from(c)),
        };
        found[0].chars().map(entity).collect::<String>()
    };
    // Markdown gives a meaning to several dashes or dots in a row, and to some characters at the
    // beginning of a line.
    pattern!(r#"[[:cntrl:]\x{80}-\x{9f}&<>"'*_`\[\]{}\\~|$!#]|--+|\.\.+|^[-+:=]"#)
        .replace_all(text, escaped)
        .into_owned()
}

/// Returns an anchor made of `kind` and `id`. Each character of the id except letters, digits and
/// dots becomes a hyphen.
pub(crate) fn anchor(kind: &str, id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    format!("{kind}-{}", id.chars().map(safe).collect::<String>())
}
