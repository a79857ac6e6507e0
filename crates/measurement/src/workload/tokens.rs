//! What of a source file counts: its tokens, in one form however they are laid out.

use std::path::Path;

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};

use super::error::WorkloadError;

/// The methods of the harness's cells that say only how often, beside what or in which profile a cell
/// is visited. Their calls do not count, be they `.in_sweep()`, `.map(Cell::in_sweep)` or
/// `.map(|cell| cell.in_sweep())`; what stands around them does. So a package must not give these names
/// to methods of its own that do anything else.
pub const VISIT_PLAN: [&str; 7] =
    ["counted_in_full", "full_only", "group", "in_sweep", "recorded", "twinned", "uncounted"];

/// Whether the calls of [`VISIT_PLAN`] count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VisitPlan {
    LeftOut,
    Counts,
}

/// Lexes a file and leaves out what does not count: comments, which are no tokens, documentation,
/// what only tests compile and, if asked, the visit plan.
pub(super) fn lex(
    file: &Path,
    text: &str,
    plan: VisitPlan,
) -> Result<Vec<TokenTree>, WorkloadError> {
    // As rustc reads it.
    let text = text.replace("\r\n", "\n");
    let stream = text.parse::<TokenStream>().map_err(|error| WorkloadError::Lex {
        path: file.display().to_string(),
        line: error.span().start().line,
    })?;
    Ok(strip(stream, plan))
}

/// The tokens as texts: the same for code that rustfmt could have made of each other.
///
/// Commas at the end of a list do not count, nor do the braces around an expression alone that is an
/// arm of a `match` or the body of a closure: rustfmt sets them where lines break. Nor does the order
/// of `use` and `mod` declarations.
pub(super) fn canonical(tokens: &[TokenTree]) -> Vec<String> {
    let mut texts = Vec::new();
    write_level(tokens, &mut texts);
    texts
}

/// What a `use` or a `mod x;` declares.
pub(super) enum Declared {
    /// The leaves of the tree of a `use`.
    Use(Vec<Leaf>),
    /// A module in a file of its own.
    Module(String),
}

/// A name that a `use` brings into scope.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Leaf {
    /// The segments, the first empty after a leading `::`, the last perhaps `self` or `*`.
    pub(super) path: Vec<String>,
    alias: Option<String>,
}

impl Leaf {
    /// The name in scope; `None` if these are all names of a module.
    pub(super) fn name(&self) -> Option<&str> {
        let mut segments = self.path.iter().rev().map(String::as_str);
        let name = self.alias.as_deref().or_else(|| segments.find(|segment| *segment != "self"));
        name.filter(|name| *name != "*")
    }
}

/// A declaration, with its attributes and its visibility.
pub(super) struct Declaration<'a> {
    pub(super) prefix: &'a [TokenTree],
    pub(super) declared: Declared,
    /// How many tokens it has.
    pub(super) length: usize,
}

/// The declaration that begins here, if one does.
pub(super) fn declaration(tokens: &[TokenTree]) -> Option<Declaration<'_>> {
    let mut length = attributes(tokens);
    length += visibility(&tokens[length..]);
    let (prefix, rest) = tokens.split_at(length);
    let end = rest.iter().position(|token| is_punct(token, ';'))?;
    let (keyword, content) = rest[..end].split_first()?;
    let declared = if is_ident(keyword, "use") {
        let mut leaves = Vec::new();
        let understood = use_tree(content, &[], &mut leaves);
        understood.then_some(Declared::Use(leaves))?
    } else if let (true, [TokenTree::Ident(name)]) = (is_ident(keyword, "mod"), content) {
        Declared::Module(name.to_string())
    } else {
        return None;
    };
    Some(Declaration { prefix, declared, length: length + end + 1 })
}

/// Whether an item may begin at `place`: at the start of a level, behind another item, a statement
/// or a block.
pub(super) fn is_item_position(tokens: &[TokenTree], place: usize) -> bool {
    let Some(before) = place.checked_sub(1).map(|before| &tokens[before]) else {
        return true;
    };
    let closed = matches!(before, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    closed || is_punct(before, ';') || is_inner_attribute_before(tokens, place)
}

/// Whether `#![...]` ends before `place`.
fn is_inner_attribute_before(tokens: &[TokenTree], place: usize) -> bool {
    let start = place.saturating_sub(3);
    matches!(
        &tokens[start..place],
        [hash, bang, TokenTree::Group(_)] if is_punct(hash, '#') && is_punct(bang, '!')
    )
}

/// How many tokens the attributes have that stand here.
pub(super) fn attributes(tokens: &[TokenTree]) -> usize {
    let mut length = 0;
    while let [hash, TokenTree::Group(group), ..] = &tokens[length..] {
        if !is_punct(hash, '#') || group.delimiter() != Delimiter::Bracket {
            break;
        }
        length += 2;
    }
    length
}

/// How many tokens the visibility has that stands here.
pub(super) fn visibility(tokens: &[TokenTree]) -> usize {
    let Some((word, rest)) = tokens.split_first() else {
        return 0;
    };
    if !is_ident(word, "pub") {
        return 0;
    }
    let Some(TokenTree::Group(group)) = rest.first() else {
        return 1;
    };
    let content = content(group);
    let restricts = match content.as_slice() {
        [word, ..] if is_ident(word, "in") => true,
        [word] => ["crate", "super", "self"].iter().any(|scope| is_ident(word, scope)),
        _ => false,
    };
    // Else it is a field whose type is a tuple.
    if group.delimiter() == Delimiter::Parenthesis && restricts {
        2
    } else {
        1
    }
}

pub(super) fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

pub(super) fn is_ident(token: &TokenTree, text: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == text)
}

/// Whether the next two tokens are `::`.
pub(super) fn is_path_separator(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [first, second, ..] if is_punct(first, ':') && is_punct(second, ':'))
}

/// The tokens of a group.
pub(super) fn content(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn use_tree(tokens: &[TokenTree], prefix: &[String], leaves: &mut Vec<Leaf>) -> bool {
    let mut path = prefix.to_vec();
    let mut rest = tokens;
    if is_path_separator(rest) {
        path.push(String::new());
        rest = &rest[2..];
    }
    loop {
        match rest {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => {
                let content = content(group);
                let parts = content.split(|token| is_punct(token, ','));
                let mut parts = parts.filter(|part| !part.is_empty());
                return parts.all(|part| use_tree(part, &path, leaves));
            }
            [dollar, TokenTree::Ident(name), tail @ ..] if is_punct(dollar, '$') => {
                path.push(format!("${name}"));
                rest = tail;
            }
            [TokenTree::Ident(name), tail @ ..] => {
                path.push(name.to_string());
                rest = tail;
            }
            [star] if is_punct(star, '*') => {
                path.push("*".to_owned());
                rest = &[];
            }
            _ => return false,
        }
        match rest {
            [] => {
                leaves.push(Leaf { path, alias: None });
                return true;
            }
            [word, TokenTree::Ident(alias)] if is_ident(word, "as") => {
                leaves.push(Leaf { path, alias: Some(alias.to_string()) });
                return true;
            }
            _ if is_path_separator(rest) => rest = &rest[2..],
            _ => return false,
        }
    }
}

/// Leaves out what does not count.
fn strip(stream: TokenStream, plan: VisitPlan) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut kept = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let Some(token) = rest.first() {
        if let [hash, bang, TokenTree::Group(group), tail @ ..] = rest {
            if is_punct(hash, '#') && is_punct(bang, '!') {
                if is_for_tests(group) {
                    // The attribute of all that this level holds.
                    return Vec::new();
                }
                if !is_documentation(group) {
                    kept.extend(rest[..3].iter().cloned());
                }
                rest = tail;
                continue;
            }
        }
        let (attributes, behind) = rest.split_at(attributes(rest));
        if !attributes.is_empty() {
            let groups = || {
                attributes.chunks(2).filter_map(|attribute| match attribute {
                    [_, TokenTree::Group(group)] => Some((attribute, group)),
                    _ => None,
                })
            };
            if groups().any(|(_, group)| is_for_tests(group)) {
                rest = &behind[element(behind)..];
                continue;
            }
            for (attribute, _) in groups().filter(|(_, group)| !is_documentation(group)) {
                kept.extend(attribute.iter().cloned());
            }
            rest = behind;
            continue;
        }
        if plan == VisitPlan::LeftOut {
            if let Some(length) = visit_plan(rest) {
                rest = &rest[length..];
                continue;
            }
        }
        kept.push(match token {
            TokenTree::Group(group) => {
                let content = strip(group.stream(), plan);
                let mut stripped = Group::new(group.delimiter(), content.into_iter().collect());
                stripped.set_span(group.span());
                TokenTree::Group(stripped)
            }
            token => token.clone(),
        });
        rest = &rest[1..];
    }
    kept
}

fn is_documentation(attribute: &Group) -> bool {
    content(attribute).first().is_some_and(|token| is_ident(token, "doc"))
}

/// Whether it is `cfg(test)`, `cfg(all(test, ...))` or `test`.
fn is_for_tests(attribute: &Group) -> bool {
    match content(attribute).as_slice() {
        [word] => is_ident(word, "test"),
        [word, TokenTree::Group(condition)] if is_ident(word, "cfg") => {
            let condition = content(condition);
            match condition.as_slice() {
                [word, TokenTree::Group(all)] if is_ident(word, "all") => content(all)
                    .split(|token| is_punct(token, ','))
                    .any(|part| matches!(part, [word] if is_ident(word, "test"))),
                [word] => is_ident(word, "test"),
                _ => false,
            }
        }
        _ => false,
    }
}

/// How many tokens the item, field, arm or element has that begins here.
fn element(tokens: &[TokenTree]) -> usize {
    let start = visibility(tokens);
    let Some(first) = tokens.get(start) else {
        return start;
    };
    let is_function = matches!(tokens.get(start + 1), Some(next) if is_ident(next, "fn"));
    let until_semicolon = ["use", "const", "static", "type", "let"];
    if until_semicolon.iter().any(|word| is_ident(first, word)) && !is_function {
        let end = tokens.iter().position(|token| is_punct(token, ';'));
        return end.map_or(tokens.len(), |end| end + 1);
    }
    let items = [
        "async",
        "const",
        "enum",
        "extern",
        "fn",
        "impl",
        "macro_rules",
        "mod",
        "struct",
        "trait",
        "union",
        "unsafe",
    ];
    let is_item = items.iter().any(|word| is_ident(first, word));
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        token => is_punct(token, ';') || (!is_item && is_punct(token, ',')),
    };
    let Some(end) = tokens.iter().position(ends) else {
        return tokens.len();
    };
    let comma = tokens.get(end + 1).is_some_and(|next| is_punct(next, ','));
    // What follows a block may belong to it. Then it counts, which is the safe side.
    end + 1 + usize::from(comma && !is_item)
}

/// How many tokens the call has that begins here, if it is one of [`VISIT_PLAN`]: `.in_sweep()`,
/// `.map(Cell::in_sweep)` or `.map(|cell| cell.in_sweep())`.
fn visit_plan(tokens: &[TokenTree]) -> Option<usize> {
    let [dot, TokenTree::Ident(method), TokenTree::Group(arguments), ..] = tokens else {
        return None;
    };
    if !is_punct(dot, '.') || arguments.delimiter() != Delimiter::Parenthesis {
        return None;
    }
    if is_planning(method) {
        return Some(3);
    }
    let arguments = content(arguments);
    if method != "map" || !plans_only(&arguments) {
        return None;
    }
    Some(3)
}

fn is_planning(method: &Ident) -> bool {
    VISIT_PLAN.iter().any(|name| method == name)
}

/// Whether it is the path of such a method, or a closure that does nothing but call some.
fn plans_only(argument: &[TokenTree]) -> bool {
    let argument = match argument {
        [inner @ .., comma] if is_punct(comma, ',') => inner,
        all => all,
    };
    match argument {
        [bar, TokenTree::Ident(parameter), end, body @ ..]
            if is_punct(bar, '|') && is_punct(end, '|') =>
        {
            let block = match body {
                [TokenTree::Group(block)] => content(block),
                all => all.to_vec(),
            };
            let Some((value, calls)) = block.split_first() else {
                return false;
            };
            let mut calls = calls.chunks(3);
            calls.len() > 0
                && is_ident(value, &parameter.to_string())
                && calls.all(|call| visit_plan(call) == Some(call.len()))
        }
        [.., first, second, TokenTree::Ident(method)] => {
            let is_path = is_punct(first, ':') && is_punct(second, ':');
            let of_names = argument.iter().all(|token| match token {
                TokenTree::Ident(_) => true,
                token => is_punct(token, ':'),
            });
            is_path && of_names && is_planning(method)
        }
        _ => false,
    }
}

fn write_level(tokens: &[TokenTree], texts: &mut Vec<String>) {
    let mut declarations = Vec::new();
    let mut others = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while place < tokens.len() {
        let here = is_item_position(tokens, place).then(|| declaration(&tokens[place..])).flatten();
        if let Some(declaration) = here {
            place += declaration.length;
            declarations.extend(declaration_texts(declaration));
        } else {
            others.push(tokens[place].clone());
            place += 1;
        }
    }
    declarations.sort();
    texts.extend(declarations.into_iter().flatten());
    write_tokens(&others, texts);
}

/// One text list a module, or a leaf of a `use`.
fn declaration_texts(declaration: Declaration<'_>) -> Vec<Vec<String>> {
    let prefix = canonical(declaration.prefix);
    let with_prefix = |keyword: &str, name: String| {
        let mut texts = prefix.clone();
        texts.extend([keyword.to_owned(), name]);
        texts
    };
    match declaration.declared {
        Declared::Module(name) => vec![with_prefix("mod", name)],
        Declared::Use(leaves) => leaves
            .into_iter()
            .map(|leaf| {
                let mut path = leaf.path.join("::");
                if let Some(alias) = leaf.alias {
                    path += " as ";
                    path += &alias;
                }
                with_prefix("use", path)
            })
            .collect(),
    }
}

fn write_tokens(tokens: &[TokenTree], texts: &mut Vec<String>) {
    let mut rest = tokens;
    let mut before = Before::default();
    while let Some((token, tail)) = rest.split_first() {
        rest = tail;
        match token {
            TokenTree::Group(group) => {
                let content = content(group);
                let braces = group.delimiter() == Delimiter::Brace;
                let ends =
                    rest.first().is_none_or(|next| is_punct(next, ',') || is_punct(next, ';'));
                let is_arm = braces && before.is_arrow;
                let is_body = braces && before.is_bar && ends;
                if (is_arm || is_body) && is_expression_alone(&content) {
                    write_level(&content, texts);
                } else {
                    write_group(group.delimiter(), &content, before.may_be_called, texts);
                }
                // Behind a block, an arm has a comma or none.
                if is_arm && !rest.is_empty() {
                    if is_punct(&rest[0], ',') {
                        rest = &rest[1..];
                    }
                    if !rest.is_empty() {
                        texts.push(",".to_owned());
                    }
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ',' => {
                if rest.first().is_some_and(|next| !is_punct(next, '>')) {
                    texts.push(",".to_owned());
                }
            }
            TokenTree::Punct(punct) => {
                let mut text = punct.as_char().to_string();
                let joint = punct.spacing() == Spacing::Joint;
                if let (true, Some(TokenTree::Punct(next))) = (joint, rest.first()) {
                    // `a && b` is not `a & &b`, but `| -1` is `|-1`.
                    if is_operator(punct.as_char(), next.as_char()) {
                        text += "+";
                    }
                }
                texts.push(text);
            }
            TokenTree::Ident(ident) => texts.push(ident.to_string()),
            TokenTree::Literal(literal) => texts.push(literal.to_string()),
        }
        before = before.then(token);
    }
}

fn write_group(
    delimiter: Delimiter,
    content: &[TokenTree],
    may_be_called: bool,
    texts: &mut Vec<String>,
) {
    let (open, close) = match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    };
    texts.push(open.to_owned());
    write_level(content, texts);
    let commas = content.iter().filter(|token| is_punct(token, ',')).count();
    let at_end = content.last().is_some_and(|last| is_punct(last, ','));
    if delimiter == Delimiter::Parenthesis && at_end && commas == 1 && !may_be_called {
        // A tuple of one, which is no expression in parentheses.
        texts.push(",".to_owned());
    }
    texts.push(close.to_owned());
}

/// Whether a block holds one expression and nothing else.
fn is_expression_alone(content: &[TokenTree]) -> bool {
    !content.is_empty() && !content.iter().any(|token| is_punct(token, ';'))
}

/// Whether these two are, or begin, an operator that could be two others. `>>` could not, and ends lists
/// of types.
fn is_operator(first: char, second: char) -> bool {
    matches!(
        (first, second),
        ('&', '&')
            | ('|', '|')
            | ('<', '<')
            | ('.', '.')
            | (':', ':')
            | ('-', '>')
            | ('=' | '!' | '<' | '>' | '+' | '-' | '*' | '/' | '%' | '^' | '&' | '|' | '.', '=')
            | ('=', '>')
    )
}

/// What the token before a group says about it.
#[derive(Default)]
struct Before {
    /// It ends `=>`.
    is_arrow: bool,
    is_equals: bool,
    is_bar: bool,
    /// Parentheses behind it hold arguments, rather than a tuple.
    may_be_called: bool,
}

impl Before {
    fn then(&self, token: &TokenTree) -> Before {
        Before {
            is_arrow: self.is_equals && is_punct(token, '>'),
            is_equals: is_punct(token, '='),
            is_bar: is_punct(token, '|'),
            may_be_called: match token {
                TokenTree::Punct(punct) => matches!(punct.as_char(), '>' | '!'),
                TokenTree::Group(_) | TokenTree::Ident(_) => true,
                TokenTree::Literal(_) => false,
            },
        }
    }
}

/// What stands between a literal's quotes. `None` if it is not a text, or one with escapes.
pub(super) fn text(literal: &str) -> Option<String> {
    let raw = literal.strip_prefix('r');
    let text = raw.unwrap_or(literal).trim_matches('#');
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    (raw.is_some() || !text.contains('\\')).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<String> {
        let tokens = lex(Path::new("test.rs"), source, VisitPlan::LeftOut).unwrap();
        canonical(&tokens)
    }

    /// What rustfmt makes of each other, and what does not count, reads the same.
    #[test]
    fn what_does_not_count_is_left_out() {
        for (one, other) in [
            ("fn f() {}", "/// Doc.\nfn f() {} // c\n/* d */"),
            ("fn f() {}", "//! Doc.\n#![doc(html_root_url = \"x\")]\nfn f() {}"),
            ("f(\"a\nb\");\n", "f(\"a\r\nb\");\r\n"),
            ("f(a, b)", "f(\n    a,\n    b,\n)"),
            ("f::<A, B>()", "f::<\n    A,\n    B,\n>()"),
            ("match a { 1 => b, _ => c }", "match a { 1 => { b } _ => { c } }"),
            ("match a { 1 => { b; } _ => c }", "match a { 1 => { b; }, _ => { c }, }"),
            ("f(|x| y, 1)", "f(|x| { y }, 1)"),
            ("f(move || y)", "f(move || { y })"),
            ("use b; use a; fn f() {}", "use a; use b; fn f() {}"),
            ("use a::{b, c as d};", "use a::{\n c as d, b,\n};"),
            ("use a::b::{c}; use a::d::*;", "use a::{b::c, d::*};"),
            ("pub mod b; mod a;", "mod a; pub mod b;"),
            ("|x|-1", "|x| -1"),
            ("fn f() {}", "fn f() {} #[cfg(test)] mod tests { fn g() {} }"),
            ("fn f() {}", "#[cfg(test)] mod tests; fn f() {}"),
            ("fn f() {}", "#[cfg(all(test, unix))] pub const fn g() {} fn f() {}"),
            ("fn f() {}", "#[cfg(test)] use a::{b, c}; fn f() {}"),
            ("fn f() {}", "#[allow(x)] #[cfg(test)] const A: B = B { c: 1 }; fn f() {}"),
            ("fn f() {}", "#[test] fn g() {} fn f() {}"),
            ("S { a: 1 }", "S { a: 1, #[cfg(test)] b: g(1, 2) }"),
            ("cell(1)", "cell(1).in_sweep().full_only()"),
            ("cell(1).per(2)", "cell(1).group(\"a\", 1).per(2)"),
            ("cells.into_iter()", "cells.into_iter().map(Cell::in_sweep)"),
            ("cells", "cells.map(|cell| cell.in_sweep().twinned())"),
            ("cells", "cells.map(|cell| {\n    cell.group(1)\n})"),
            ("Vec<Vec<u8>>|", "Vec<Vec<u8>> |"),
            ("true => cell, false => cell", "true => { cell } false => cell.full_only(),"),
        ] {
            assert_eq!(texts(one), texts(other), "{one} / {other}");
        }
    }

    #[test]
    fn what_counts_is_kept() {
        for (one, other) in [
            ("f(1)", "f(2)"),
            ("f(a)", "f(b)"),
            ("a(); b();", "b(); a();"),
            ("a && b", "a & &b"),
            ("let a = (1,);", "let a = (1);"),
            ("vec![a, b]", "vec![a b]"),
            ("match a { 1 => b, _ => c }", "match a { 1 => c, _ => b }"),
            ("f(|x| y)", "f(|x| { y; })"),
            ("f(|| { a }.b())", "f(|| a.b())"),
            ("use a::b;", "use a::c;"),
            ("use a::b;", "pub use a::b;"),
            ("use a as b;", "use a;"),
            ("#[cfg(unix)] fn f() {}", "fn f() {}"),
            ("#[cfg(not(test))] fn f() {}", ""),
            ("#[cfg(test)] const A: B = B {}; fn f() {}", ""),
            ("\"a  b\"", "\"a b\""),
            ("cells.map(|cell| cell.per(1))", "cells"),
            ("cells.map(|cell| cell)", "cells"),
            ("in_sweep()", ""),
            ("cell.in_sweep", "cell"),
        ] {
            assert_ne!(texts(one), texts(other), "{one} / {other}");
        }
    }

    #[test]
    fn in_a_harness_the_visit_plan_counts() {
        let read = |text| canonical(&lex(Path::new("a.rs"), text, VisitPlan::Counts).unwrap());
        assert_ne!(read("cell.group(1)"), read("cell.group(2)"));
    }
}
