//! Pieces of HTML.

use std::fmt::Display;

use maud::Render;

/// Text that stands in HTML, also between quotation marks, and in Markdown, which reads inline HTML too.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: Display> Render for Escaped<T> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&escape(&self.0.to_string()));
    }
}

/// Text as [`Escaped`] writes it.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // These mean something to Markdown, which reads inline HTML too.
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

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    #[test]
    fn text_means_nothing_to_html_nor_to_markdown() {
        let text = "<b title=\"x\">*a* `b` [c](d) e_f & 'g'\nh";
        let escaped = "&lt;b title=&quot;x&quot;&gt;&#42;a&#42; &#96;b&#96; &#91;c&#93;(d) e&#95;f &amp; &#39;g&#39; h";
        assert_eq!(
            html! { i title=(Escaped(text)) { (Escaped(text)) } }.into_string(),
            format!("<i title=\"{escaped}\">{escaped}</i>")
        );
    }
}
