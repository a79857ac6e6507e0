//! Tests the controls with which a reader guesses, types, filters and follows claims.

use anyhow::{ensure, Result};
use serde_json::json;

use crate::cdp::{Key, Tab};
use crate::reading::{complain, fits_a_phone, has_contrast};
use crate::site::Site;

/// Checks that a reader who has only a keyboard can guess a figure and open the answer, which
/// shows the interval and how far off the guess was. Also checks that everything is readable on a
/// phone, in each theme.
pub(crate) fn compares_guesses(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    const QUESTIONS: &str = "[...document.querySelectorAll('.measured-predict [data-measured]')]";
    tab.open(&site.url(page))?;
    let questions: usize = tab.evaluate(&format!("{QUESTIONS}.length"))?;
    ensure!(questions > 0, "nothing can be guessed");
    for question in (0..questions).map(|at| format!("{QUESTIONS}[{at}]")) {
        let chosen = |place| format!("{question}.querySelectorAll('input')[{place}].checked");
        tab.run(&format!("{question}.querySelector('input').focus()"))?;
        tab.press(Key::Space)?;
        tab.until(&chosen(0), "Space chooses")?;
        tab.press(Key::Right)?;
        tab.until(&chosen(1), "an arrow chooses the next")?;
        tab.press(Key::Tab)?;
        tab.press(Key::Enter)?;
        tab.until(&format!("{question}.querySelector('details').open"), "Enter opens the answer")?;
        let [choice, words]: [String; 2] = tab.evaluate(&format!(
            "[{question}.querySelectorAll('label')[1], {question}.querySelector('[role=status]')] \
             .map((element) => element.innerText.trim())"
        ))?;
        ensure!(words.starts_with(&format!("You guessed {choice}")), "{choice:?}: {words:?}");
        let interval = format!("{question}.querySelector('.measured-interval, .measured-open')");
        let width: f64 = tab.evaluate(&format!("{interval}.getBoundingClientRect().width"))?;
        ensure!(width > 20.0, "the interval cannot be seen");
    }
    can_still_be_read(tab, site, page)
}

/// Checks that no key press has left the page, and that the page is still readable.
fn can_still_be_read(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    let here: String = tab.evaluate("location.href")?;
    ensure!(here == site.url(page), "a key led to {here}");
    fits_a_phone(tab)?;
    has_contrast(tab)?;
    complain(tab, site)
}

/// Checks that choosing an outcome hides all entries with other outcomes, and all sources without
/// a visible entry. At the end, all are visible again.
pub(crate) fn filters_the_ledger(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    const OUTCOME: &str = "document.querySelectorAll('.measured-filters select')[1]";
    // Chooses `value`, and returns the numbers of visible entries and visible sources.
    let seen = |tab: &mut Tab, value: &str| -> Result<[usize; 2]> {
        let value = json!(value);
        tab.run(&format!(
            "{OUTCOME}.value = {value}, {OUTCOME}.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ))?;
        tab.evaluate(
            "['tbody tr', 'section'].map((of) => [...document.querySelectorAll(`.measured-ledger ${of}`)] \
             .filter((element) => element.checkVisibility()).length)",
        )
    };
    tab.open(&site.url(page))?;
    let values: Vec<String> =
        tab.evaluate(&format!("[...{OUTCOME}.options].map((option) => option.value)"))?;
    ensure!(values.len() > 2, "there is nothing to choose: {values:?}");
    let mut sum = 0;
    for value in &values[1..] {
        let count: usize = tab.evaluate(&format!(
            "document.querySelectorAll('.measured-ledger tr[data-outcome=\"{value}\"]').length"
        ))?;
        let [entries, sources] = seen(tab, value)?;
        let fits = entries == count && (1..=entries).contains(&sources);
        ensure!(fits, "{value}: {entries} entries of {count} and {sources} sources are seen");
        sum += count;
    }
    let [entries, _] = seen(tab, "")?;
    let all = site.analysis.published.claims.len();
    ensure!(
        [sum, entries] == [all; 2],
        "{sum} of {all} have an outcome, {entries} are seen at last"
    );
    tab.run(&format!("{OUTCOME}.focus()"))?;
    tab.press(Key::Right)?;
    can_still_be_read(tab, site, page)
}

/// A reader who follows a figure's link sees the claim, even if it was folded away.
pub(crate) fn opens_claims(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    tab.open(&site.url(page))?;
    tab.run("document.querySelector('a.measured-claimed').click()")?;
    tab.until(
        "document.querySelector('.measured-claim:target')?.closest('.measured-claims').open",
        "the fold of the claim opens",
    )?;
    let place = "document.querySelector('.measured-claim:target').getBoundingClientRect().top";
    tab.until(&format!("{place} >= 0 && {place} < innerHeight"), "the claim is in sight")?;
    complain(tab, site)
}

/// Checks that a script computes the same times for the example requests as the page shows
/// without scripts. Then a reader types counts, with the keyboard only: an invalid count gives a
/// sentence instead of a time, and a larger count gives a longer time.
pub(crate) fn adds_up(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    const BILL: &str = "document.querySelector('.measured-bill')";
    const INPUT: &str = "document.querySelector('.measured-counts fieldset input')";
    let said = format!(
        "[...{BILL}.querySelectorAll('output p')].map((line) => line.textContent.replaceAll('\\u00a0', ' '))"
    );
    tab.open(&site.url(page))?;
    tab.run(&format!("{BILL}.querySelector('details').open = true"))?;
    // The table that is shown without scripts: each row has the name of an example request, and
    // its time in each model.
    let printed: Vec<Vec<String>> = tab.evaluate(&format!(
        "[...{BILL}.querySelectorAll('details:first-of-type tbody tr')].map((row) => \
         [...row.cells].map((cell) => cell.innerText.replace('\\n', ', ').replaceAll('\\u00a0', ' ')))"
    ))?;
    let names: Vec<String> = tab.evaluate(&format!(
        "[...{BILL}.querySelector('select').options].map((option) => option.text)"
    ))?;
    ensure!(names.len() > 2 && names.len() == printed.len(), "{names:?} of {printed:?}");
    for (place, (name, row)) in names.iter().zip(&printed).enumerate() {
        tab.run(&format!(
            "{BILL}.querySelector('select').value = {place}, \
             {BILL}.querySelector('select').dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ))?;
        let lines: Vec<String> = tab.evaluate(&said)?;
        let bills = lines.iter().map(|line| line.split_once(": ").map_or("", |(_, bill)| bill));
        let bills: Vec<&str> = bills.collect();
        ensure!(row[0] == *name && row[1..] == bills, "{row:?}, and the script says {bills:?}");
    }
    for (typed, sentence) in [
        ("-3", "is below nothing"),
        ("three", "is no number"),
        ("NaN", "is no number"),
        ("1e300", "is more than a billion"),
    ] {
        tab.run(&format!("{INPUT}.focus(), {INPUT}.select()"))?;
        tab.send("Input.insertText", json!({"text": typed}))?;
        let lines: Vec<String> = tab.evaluate(&said)?;
        let [line] = &lines[..] else { anyhow::bail!("{typed}: {lines:?}") };
        ensure!(line.contains(sentence) && line.contains(typed), "{typed}: {line:?}");
        let is_marked: bool = tab.evaluate(&format!("{INPUT}.ariaInvalid === 'true'"))?;
        ensure!(is_marked, "{typed}: the field does not say so");
    }
    tab.run(&format!("{INPUT}.focus(), {INPUT}.select()"))?;
    tab.send("Input.insertText", json!({"text": "1000"}))?;
    let lines: Vec<String> = tab.evaluate(&said)?;
    ensure!(
        lines.iter().all(|line| line.contains("ms") && line.contains("most of it")),
        "{lines:?}"
    );
    tab.press(Key::Right)?;
    tab.press(Key::Tab)?;
    let is_next: bool = tab.evaluate(&format!(
        "document.activeElement === {BILL}.querySelectorAll('fieldset input')[1]"
    ))?;
    ensure!(is_next, "Tab does not lead to the next count");
    can_still_be_read(tab, site, page)
}
