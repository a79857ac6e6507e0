//! Renders a page: puts in everything that it asks for.

use maud::html;

use crate::Mistake;
use crate::assets::{self, Script};
use crate::block::BLOCKS;
use crate::block::block_kind::Shown;
use crate::figure::number_format::Detail;
use crate::html::{Escaped, to_root};
use crate::page::context::RenderContext;
use crate::page::directive::tell;
use crate::page::on_page::OnPage;
use crate::page::{Page, PagePart};
use crate::toml_block::At;

/// What became of a page.
pub(crate) struct Rendered {
    /// The page with every part replaced.
    pub(crate) text: String,
    /// The ids of its charts, with their lines.
    pub(crate) charts: Vec<(String, usize)>,
    /// What its pictures need when they are drawn.
    pub(crate) scripts: Vec<Script>,
    /// What is wrong with it.
    pub(crate) mistakes: Vec<Mistake>,
}

/// A page with every part replaced.
pub(crate) fn render(page: &Page, context: &RenderContext<'_>) -> Rendered {
    let to_root = to_root(&page.html);
    let on = OnPage { page, context, to_root: &to_root };
    let (mut charts, mut scripts, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
    let stale = context.data.stale(&page.chapter);
    let stale = html! {
        @if !stale.is_empty() {
            p.measured-stale {
                strong { "The data of this page are stale:" } " " (Escaped(Vec::from_iter(stale).join("; "))) "."
            }
            "\n\n"
        }
    };
    let mut text = format!("{}\n\n{}", assets::tags(&to_root), stale.into_string());
    let mut end = 0;
    for part in &page.parts {
        let (line, shown) = match part {
            PagePart::Directive(_, line, asked) => {
                let told = asked.clone().and_then(|text| tell(&text, &on, Detail::Full)).at(0);
                let html = told.map(|told| told.html().into_string());
                (*line, html.map(|html| Shown { html, ..Shown::default() }))
            }
            PagePart::Block(block) => match BLOCKS.iter().find(|kind| kind.word == block.word) {
                Some(kind) => (block.line, (kind.render)(block, &on)),
                None => continue,
            },
        };
        text += &page.text[end..part.range().start];
        end = part.range().end;
        match shown {
            Ok(Shown { html, id, script }) => {
                text += &html;
                charts.extend(id.map(|id| (id, line)));
                scripts.extend(script);
            }
            Err(wrong) => mistakes.push(page.mistake_below(line, wrong)),
        }
    }
    text += &page.text[end..];
    Rendered { text, charts, scripts, mistakes }
}
