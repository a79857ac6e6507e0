//! Renders a page: puts in everything that it asks for.

use maud::{Markup, PreEscaped, html};
use measurement::{Evidence, LineError, Row, Verdict};

use crate::assets::Script;
use crate::block::calculator::{Calculator, Computed};
use crate::block::costs::{self, CostRow, ToldCost};
use crate::block::predict::{self, Answered, Question};
use crate::block::table::{self, FigureTable};
use crate::chart::{self, Chart, ChartContext, timeline};
use crate::claim::judged::JudgedClaim;
use crate::claim::agreement;
use crate::claim::card::{badge, card};
use crate::claim::family::Family;
use crate::claim::index::index;
use crate::claim::ledger::ledger;
use crate::claim::trials;
use crate::data::{ChapterData, LOCAL, MachineData, missing_run};
use crate::data::{machines, processors};
use crate::figure::Subject;
use crate::figure::number_format::{self, Detail};
use crate::figure::rich_text::{FigureText, RichText};
use crate::figure::selector::{Missing, Selector, Term, nearest};
use crate::figure::{least_visit, row_order};
use crate::html::{Escaped, anchor, escape, to_root};
use crate::page::context::RenderContext;
use crate::page::directive::{All, Directive, InlinePiece, InlineText};
use crate::page::drawing;
use crate::page::{Page, PagePart, PartContent};
use crate::{Mistake, assets};

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
    let to_root = to_root(page.path());
    let on = On { page, context, to_root: &to_root };
    let (mut charts, mut scripts) = (Vec::new(), Vec::new());
    let mut mistakes = page.wrong().to_vec();
    let mut text = format!("{}\n\n{}", assets::tags(&to_root), on.stale());
    // It is wrong as a whole.
    let whole = |message: String| LineError::new(0, message);
    let mut end = 0;
    for part in page.parts() {
        text += &page.text()[end..part.range.start];
        end = part.range.end;
        let replacement = match &part.content {
            PartContent::Directive(directive) => on
                .directive(directive, Detail::Full)
                .map(|line| line.html().into_string())
                .map_err(whole),
            PartContent::Chart(body) => on.chart(body).map(|chart| {
                charts.push((chart.id, part.line));
                scripts.extend(chart.script);
                format!("\n{}\n\n", chart.html)
            }),
            PartContent::Timeline(body) => on.timeline(body).map(|(html, id)| {
                charts.push((id, part.line));
                format!("\n{html}\n\n")
            }),
            PartContent::Claim(id) => Ok(format!("\n{}\n\n", on.card(id).into_string())),
            PartContent::Claims(family) => on.family(family).map_err(whole),
            PartContent::Table(table) => on.table(table).map_err(whole),
            PartContent::Predict(questions) => on.predict(part, questions).map_err(whole),
            PartContent::Calculator(calculator) => on.calculator(calculator).map_err(whole),
            PartContent::Costs(costs) => on.costs(costs).map_err(whole),
            PartContent::Nothing => Ok(String::new()),
        };
        match replacement {
            Ok(html) => text += &html,
            Err(wrong) => mistakes.push(page.mistake_below(part.line, wrong)),
        }
    }
    text += &page.text()[end..];
    Rendered { text, charts, scripts, mistakes }
}

/// A page that is being rendered.
struct On<'a> {
    page: &'a Page,
    context: &'a RenderContext<'a>,
    to_root: &'a str,
}

impl On<'_> {
    /// A note at the top of the page if the data of its chapter are stale.
    fn stale(&self) -> String {
        let stale = self.context.data.stale(self.page.chapter());
        if stale.is_empty() {
            return String::new();
        }
        let note = html! {
            p.measured-stale {
                strong { "The data of this page are stale:" } " " (Escaped(Vec::from_iter(stale).join("; "))) "."
            }
        };
        format!("{}\n\n", note.into_string())
    }

    fn chart(&self, body: &str) -> Result<Chart, LineError> {
        self.with_chart_context(|place| chart::render(body, place))
    }

    /// A timeline as HTML, and its id.
    fn timeline(&self, body: &str) -> Result<(String, String), LineError> {
        self.with_chart_context(|place| timeline::render(body, place))
    }

    fn with_chart_context<T>(&self, render: impl FnOnce(&ChartContext<'_>) -> T) -> T {
        let (data, config) = (self.context.data, self.context.config);
        let inline = |text: &str| self.title(text);
        let selector = |text: &str| self.page.names().selector(text);
        let chapter = self.page.chapter();
        let place = ChartContext { data, config, chapter, inline: &inline, selector: &selector };
        render(&place)
    }

    /// The title of a chart, which tells what was found: nothing that is undecided, or mostly otherwise.
    fn title(&self, text: &str) -> Result<RichText, String> {
        let title = InlineText::read(text, self.page.names())?;
        for piece in &title.0 {
            let InlinePiece::Directive(directive) = piece else { continue };
            if let Directive::Figure(subject) | Directive::Factor(subject) = &**directive {
                // A figure by itself is right, whatever is claimed of it; a ratio says that two differ.
                if matches!(subject, Subject::Ratio(..)) {
                    self.tells_what_is_decided(subject)?;
                }
            }
        }
        self.inline(&title, Detail::Brief)
    }

    fn tells_what_is_decided(&self, subject: &Subject) -> Result<(), String> {
        let told = subject.in_full(self.page.chapter());
        let is_it =
            |judged: &&JudgedClaim| judged.claim.subject.in_full(&judged.claim.chapter) == told;
        for judged in self.context.claims.iter().filter(is_it) {
            if judged.on_reference().is_some_and(|found| found.verdict == Verdict::Undecided) {
                return Err(format!(
                    "the title tells of what the claim {:?} calls undecided: title the chart by what it \
                     shows",
                    judged.claim.id
                ));
            }
        }
        Ok(())
    }

    /// One that could not be judged has been reported already.
    fn claim(&self, id: &str) -> Option<&JudgedClaim> {
        let page = self.page.html();
        self.context.claim(id).filter(|judged| judged.claim.place.page == page)
    }

    fn card(&self, id: &str) -> Markup {
        html! { @if let Some(claim) = self.claim(id) { (card(claim, self.context, self.to_root)) } }
    }

    /// A family as a table: each figure with its verdict, and folded behind it the cards.
    fn family(&self, family: &Family) -> Result<String, String> {
        let words = |text: &String| {
            let mut line = RichText::default();
            line.words(text);
            line
        };
        let mut rows = Vec::new();
        for (head, ids) in &family.rows {
            let mut cells = Vec::new();
            for id in ids {
                let Some(JudgedClaim { claim, .. }) = self.claim(id) else { continue };
                let reference = self.reference(&claim.chapter, claim.experiment());
                let is_there =
                    reference.is_ok_and(|chapter| claim.subject.is_in(&chapter.evidence));
                let figure = match &claim.subject {
                    // The verdict says why.
                    _ if !is_there => RichText::default(),
                    Subject::Ratio(..) => self.factor(&claim.subject, Detail::Full)?,
                    Subject::Value(_) | Subject::Share(..) | Subject::Total(..) => {
                        self.figure(&claim.subject, Detail::Full)?
                    }
                };
                cells.push(html! { (figure.html()) " " (self.verdict(id)?.html()) });
            }
            rows.push((words(head), cells));
        }
        let columns: Vec<RichText> = family.columns.iter().map(words).collect();
        let table = table::html(&words(&family.head), &columns, &rows);
        let ids = family.rows.iter().flat_map(|(_, ids)| ids);
        let claimed = ids.clone().find_map(|id| self.claim(id)).map(|judged| judged.claim.in_words());
        let cards = html! {
            @if let Some(claimed) = claimed { p.measured-small { "Claimed of each: " (Escaped(claimed)) "." } "\n" }
            details.measured-family {
                summary { "The claims behind the verdicts of this table" }
                "\n"
                @for id in ids { (self.card(id)) "\n" }
            }
        };
        Ok(format!("\n{}\n\n{}\n\n", table.into_string(), cards.into_string()))
    }

    fn table(&self, table: &FigureTable) -> Result<String, String> {
        let inline = |text: &InlineText| self.inline(text, Detail::Full);
        let mut rows = Vec::new();
        for (head, directives) in &table.rows {
            let cell = |directive| Ok(self.directive(directive, Detail::Full)?.html());
            let cells: Result<Vec<Markup>, String> = directives.iter().map(cell).collect();
            rows.push((inline(head)?, cells?));
        }
        let columns: Vec<RichText> = table.columns.iter().map(inline).collect::<Result<_, _>>()?;
        let html = table::html(&inline(&table.head)?, &columns, &rows);
        let directives = table.rows.iter().flat_map(|(_, directives)| directives);
        let asked = directives.flat_map(|directive| self.rows_of(directive));
        let remark = html! {
            @if let Some(remark) = processors::remark(asked) {
                "\n\n" p.measured-small { (Escaped(remark)) }
            }
        };
        Ok(format!("\n{}{}\n\n", html.into_string(), remark.into_string()))
    }

    /// Questions to be guessed, each with its answer.
    fn predict(&self, part: &PagePart, questions: &[Question]) -> Result<String, String> {
        let answered = |Question { text, answer }: &Question| {
            let chapter = answer.chapter().unwrap_or(self.page.chapter());
            let reference = &self.reference(chapter, answer.experiment())?.evidence;
            let measured = answer.find(reference).ok().map(|figure| figure.mostly());
            Ok(Answered {
                text: self.inline(text, Detail::Full)?,
                answer: self.figure(answer, Detail::Full)?,
                // What may lie on either side of zero is no order of magnitude away from anything.
                measured: measured.filter(|(interval, _)| interval.low > 0.0),
            })
        };
        let answered: Vec<Answered> =
            questions.iter().map(answered).collect::<Result<_, String>>()?;
        let name = anchor("predict", &format!("{}-{}", self.page.html(), part.line));
        Ok(format!("\n{}\n\n", predict::html(&name, &answered).into_string()))
    }

    /// What so many take, for each kind.
    fn calculator(&self, calculator: &Calculator) -> Result<String, String> {
        let kind = |(words, terms): &(String, Vec<Term>)| {
            let so_many = |count| Subject::Total(count, terms.clone());
            let each = so_many(1);
            let chapter = each.chapter().unwrap_or(self.page.chapter());
            let reference = &self.reference(chapter, each.experiment())?.evidence;
            let counts = calculator.counts.iter();
            let totals = counts.map(|&count| self.figure(&so_many(count), Detail::Full));
            Ok(Computed {
                words: words.clone(),
                each: each.find(reference).ok().map(|figure| figure.mostly().0.estimate),
                totals: totals.collect::<Result<_, String>>()?,
            })
        };
        let kinds: Vec<Computed> =
            calculator.kinds.iter().map(kind).collect::<Result<_, String>>()?;
        Ok(format!("\n{}\n\n", calculator.html(&kinds).into_string()))
    }

    /// What things cost, and folded behind it the same on each machine.
    fn costs(&self, costs: &[CostRow]) -> Result<String, String> {
        let chapter_of =
            |cost: &CostRow| cost.cost.chapter().unwrap_or(self.page.chapter()).to_owned();
        let data = self.context.data;
        let reference_of =
            |cost: &CostRow| data.reference(&chapter_of(cost), cost.cost.experiment()).to_owned();
        let references: Vec<String> = costs.iter().map(reference_of).collect();
        let one = references.first().filter(|first| references.iter().all(|other| other == *first));
        let told = |cost: &CostRow| {
            let (chapter, experiment) = (chapter_of(cost), cost.cost.experiment());
            let reference = self.reference(&chapter, experiment)?;
            let found = cost.cost.find(&reference.evidence).ok();
            let machine = one.is_none().then(|| format!("on {}", reference_of(cost)));
            let is_stale = !reference.stale(experiment).is_empty();
            let remarks = [machine, is_stale.then(|| "stale".to_owned())];
            let remarks: Vec<String> = remarks.into_iter().flatten().collect();
            let page = format!("{chapter}.html");
            let title = self.context.titles.get(&page);
            Ok(ToldCost {
                what: self.inline(&cost.what, Detail::Full)?,
                more: title.map(|title| (format!("{}{page}", self.to_root), title.clone())),
                cost: self.figure(&cost.cost, Detail::Full)?,
                remark: (!remarks.is_empty()).then(|| format!("({})", remarks.join(", "))),
                measured: found.map(|figure| figure.mostly()),
                made_of: self.inline(&cost.made_of, Detail::Full)?,
                to_do: self.inline(&cost.to_do, Detail::Full)?,
                claim: self.verdict(&cost.claim)?,
                claim_id: self.in_full(&cost.claim),
            })
        };
        let told: Vec<ToldCost> = costs.iter().map(told).collect::<Result<_, String>>()?;
        let names: Vec<RichText> = told.iter().map(|cost| cost.what.clone()).collect();
        let asked = costs.iter().map(|cost| Directive::Figure(cost.cost.clone()));
        let asked: Vec<Directive> = asked.collect();
        let remark = processors::remark(asked.iter().flat_map(|figure| self.rows_of(figure)));
        let notes = html! {
            p.measured-small {
                @if let Some(machine) = one { "Measured on " (Escaped(machine)) ". " }
                @if let Some(remark) = remark { (Escaped(remark)) }
            }
            "\n"
            details.measured-table open {
                summary { "The same on each machine" }
                "\n"
                (costs::on_each_machine(costs, names, data, self.page.chapter()))
            }
        };
        Ok(format!("\n{}\n\n{}\n\n", costs::html(&told).into_string(), notes.into_string()))
    }

    /// Drawings, their texts with figures.
    fn drawings(&self, files: &[String]) -> Result<Markup, String> {
        let misleads = |FigureText { of, figure, range, .. }: &FigureText| {
            format!(
                "{of:?} is {figure} ({range}), and misleads without its interval, for which a drawing has \
                 no room: tell it in prose"
            )
        };
        let directory = self.page.source().parent().map(|folder| self.context.src.join(folder));
        let directory = directory.unwrap_or_default();
        let mut svg = String::new();
        for file in files {
            let in_file = |wrong: LineError| format!("{file}:{wrong}");
            for (line, text) in drawing::read(&directory.join(file)).map_err(in_file)? {
                let wrong = |message: String| in_file(LineError::new(line, message));
                let text = InlineText::read(&text, self.page.names());
                for piece in text.map_err(wrong)?.0 {
                    match piece {
                        InlinePiece::Words(words) => svg += &words,
                        InlinePiece::Directive(directive) => {
                            let told = self.directive(&directive, Detail::Brief);
                            let told = told.map_err(wrong)?;
                            let told = told.plain_without_intervals();
                            svg += &escape(&told.map_err(misleads).map_err(wrong)?);
                        }
                    }
                }
                svg.push('\n');
            }
        }
        Ok(html! { "\n" figure.measured-drawing { "\n" (PreEscaped(svg)) } "\n" })
    }

    /// The rows whose figures a directive shows, of the reference and of the reader's own machine.
    fn rows_of(&self, directive: &Directive) -> Vec<(&MachineData, &Row)> {
        let selectors = match directive {
            Directive::Figure(subject) | Directive::Factor(subject) => subject.selectors(),
            Directive::Least(rows) | Directive::Order(rows) => vec![rows],
            _ => Vec::new(),
        };
        let data = self.context.data;
        let rows = selectors.into_iter().flat_map(|selector| {
            let chapter = selector.chapter.as_deref().unwrap_or(self.page.chapter());
            let reference = data.reference(chapter, &selector.experiment);
            let machines = [reference, LOCAL].into_iter().filter_map(|name| data.machine(name));
            machines.flat_map(move |machine| {
                let rows = machine.chapters.get(chapter).map(|data| &data.evidence.rows);
                let rows = rows.into_iter().flatten().filter(|row| selector.matches(row));
                rows.map(move |row| (machine, row))
            })
        });
        rows.collect()
    }

    /// A text with its directives replaced.
    fn inline(&self, text: &InlineText, form: Detail) -> Result<RichText, String> {
        let mut line = RichText::default();
        for piece in &text.0 {
            match piece {
                InlinePiece::Words(words) => line.words(words),
                InlinePiece::Directive(directive) => line.append(self.directive(directive, form)?),
            }
        }
        Ok(line)
    }

    fn directive(&self, directive: &Directive, form: Detail) -> Result<RichText, String> {
        let mut line = RichText::default();
        match directive {
            Directive::Figure(subject) => return self.figure(subject, form),
            Directive::Least(row) => return self.least(row),
            Directive::Factor(subject) => return self.factor(subject, form),
            Directive::Order(rows) => return self.order(rows, form),
            Directive::Claim(id) => return self.verdict(id),
            Directive::Published { id, figure } => {
                let figure = self.context.published.claim(id)?.figure(figure)?;
                line.other(self.context.to_ledger(id, &figure, self.to_root), figure);
            }
            Directive::Parameter { rows, value } => {
                let chapter = rows.chapter.as_deref().unwrap_or(self.page.chapter());
                rows.all(&self.reference(chapter, &rows.experiment)?.evidence)?;
                line.words(number_format::thousands(value));
            }
            Directive::Fact { words, source } => {
                let html =
                    html! { span.measured-fact title=(Escaped(source)) { (Escaped(words)) } };
                line.other(html, words);
            }
            Directive::Drawing(files) => line.other(self.drawings(files)?, ""),
            Directive::Agreement(None) => line.words(agreement::in_numbers(self.context)),
            Directive::Agreement(Some(wanted)) => {
                line.other(agreement::table(*wanted, self.context, self.to_root), "");
            }
            Directive::All(all) => {
                let (context, to_root) = (self.context, self.to_root);
                let html = match all {
                    All::Claims => index(context, to_root),
                    All::Ledger => ledger(context, to_root),
                    All::Machines => machines::tables(context.data),
                    All::Conditions => {
                        html! { "\n" (machines::conditions(context.data).html(None)) "\n" }
                    }
                    All::Runs => {
                        let trials = trials::trials(context.data, context.claims);
                        html! { "\n" (trials.table.html(Some("measured-trial"))) }
                    }
                };
                line.other(html, "");
            }
        }
        Ok(line)
    }

    /// The id of a claim, which on a page of its chapter needs no chapter.
    fn in_full(&self, id: &str) -> String {
        if id.contains('.') { id.to_owned() } else { format!("{}.{id}", self.page.chapter()) }
    }

    /// The verdict on a claim, linked to its card, each machine's in its form; a pointer that rests on it
    /// tells the claim.
    fn verdict(&self, id: &str) -> Result<RichText, String> {
        let id = &self.in_full(id);
        let judged = self.context.claim(id).ok_or_else(|| {
            let ids = self.context.claims.iter().map(|judged| &judged.claim.id);
            format!("no claim is {id:?}{}", nearest(id, ids))
        })?;
        let claim = &judged.claim;
        let here = if claim.place.page == self.page.html() {
            ""
        } else {
            &format!("{}{}", self.to_root, claim.place.page)
        };
        let (found, own) = (judged.on_reference(), judged.on(LOCAL));
        let href = format!("{here}#{}", anchor("claim", &claim.id));
        let html = html! {
            a href=(Escaped(href)) title=(Escaped(&claim.sentence)) {
                @if let Some(found) = found { (badge(&found.verdict)) }
                @if let Some(own) = own { " (yours: " (badge(&own.verdict)) ")" }
            }
        };
        let own = own.map(|own| format!(" (yours: {})", own.verdict.word()));
        let plain =
            found.map_or("", |found| found.verdict.word()).to_owned() + &own.unwrap_or_default();
        let mut line = RichText::default();
        line.other(html, plain);
        Ok(line)
    }

    /// What is found on the reference machine, and behind it what is found on the reader's own.
    fn figure(&self, subject: &Subject, form: Detail) -> Result<RichText, String> {
        let of = subject.to_string();
        let told = |evidence: &Evidence| Ok(subject.find(evidence)?.told(of.clone(), form));
        self.on_each_machine(subject, &told)
    }

    /// The least of a row's visits.
    fn least(&self, row: &Selector) -> Result<RichText, String> {
        let told = |evidence: &Evidence| {
            least_visit::told(row.one(evidence).map_err(Missing::Mistake)?, row.to_string())
        };
        self.on_each_machine(&Subject::Value(row.clone().into()), &told)
    }

    /// A ratio as a factor.
    fn factor(&self, subject: &Subject, form: Detail) -> Result<RichText, String> {
        let of = subject.to_string();
        let told =
            |evidence: &Evidence| Ok(subject.find(evidence)?.told_as_factor(of.clone(), form));
        self.on_each_machine(subject, &told)
    }

    fn on_each_machine(
        &self,
        subject: &Subject,
        told: &dyn Fn(&Evidence) -> Result<FigureText, Missing>,
    ) -> Result<RichText, String> {
        let chapter = subject.chapter().unwrap_or(self.page.chapter());
        let not_measured = |reason| FigureText::not_measured(subject.to_string(), reason);
        let reference = self.reference(chapter, subject.experiment())?;
        let mut line: RichText = match told(&reference.evidence) {
            Ok(told) => told.into(),
            Err(Missing::Unmeasured(reason)) => not_measured(reason).into(),
            Err(Missing::Mistake(message)) => return Err(message),
        };
        if let Some(own) = self.context.data.chapter(LOCAL, chapter) {
            match told(&own.evidence) {
                Ok(told) => line.yours(told.into()),
                Err(Missing::Unmeasured(reason)) => line.yours(not_measured(reason).into()),
                // A quick or filtered run may lack the row; then there is only ours.
                Err(Missing::Mistake(_)) => {}
            }
        }
        Ok(line)
    }

    /// Rows in the order of their figures, each with its own, and in between whether they differ.
    fn order(&self, rows: &Selector, form: Detail) -> Result<RichText, String> {
        let chapter = rows.chapter.as_deref().unwrap_or(self.page.chapter());
        let in_words = |evidence: &Evidence| row_order::in_words(rows, evidence, form);
        let mut line = in_words(&self.reference(chapter, &rows.experiment)?.evidence)?;
        let own = self.context.data.chapter(LOCAL, chapter);
        // A quick or filtered run may lack some of the rows; then there is only ours.
        if let Some(own) = own.and_then(|own| in_words(&own.evidence).ok()) {
            line.yours(own);
        }
        Ok(line)
    }

    /// What the machine says whose figures the pages tell of an experiment.
    fn reference(&self, chapter: &str, experiment: &str) -> Result<&ChapterData, String> {
        let reference = self.context.data.reference(chapter, experiment);
        let data = self.context.data.chapter(reference, chapter);
        data.ok_or_else(|| missing_run(reference, chapter))
    }
}
