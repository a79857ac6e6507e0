//! Since when each claim has stood as it stands: `data/claims.jsonl`, a line a claim.
//!
//! A predicate is to be older than the data that it is held against. So the file keeps, for each claim,
//! a hash of what decides its verdict (its rows and its predicate), the commit since which that hash has
//! stood without a break, and the first run after it. The sentence and the id are outside the hash: they may
//! be mended. A book without the file records nothing.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::claim::Claim;
use crate::config::Config;
use crate::data;
use crate::data_paths::relative;
use crate::selector::nearest;
use crate::{Mistake, Mistakes};

/// What is recorded of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimRecord {
    /// The claim's id.
    pub id: String,
    /// What decides its verdict, see [`hash`].
    pub hash: String,
    /// When the commit was made, UTC, RFC 3339; without a commit, when it was recorded.
    pub since: String,
    /// The commit since which the claim has had this hash, shortened; none until it is committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// When the first committed run of its chapter that is younger than the commit began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_run: Option<String>,
    /// What was changed after data, in a sentence for the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Ids that it had before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<String>,
}

/// The records of a book, each with its line.
#[derive(Debug, Default)]
pub struct ClaimRecords {
    /// The file, relative to the book's root, for messages.
    file: String,
    lines: Vec<(ClaimRecord, String)>,
}

/// Hashes what decides a claim's verdict: 16 hexadecimal digits. Numbers count as what they are, not as
/// they are written, and parameters in any order; what the right side of a ratio inherits is filled in.
pub fn hash(claim: &Claim) -> String {
    let rows = claim.subject.in_full(&claim.chapter);
    let digest = Sha256::digest(format!("{rows}\n{}\n", claim.predicate));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl ClaimRecords {
    /// Reads the file of a book; none if it has none.
    ///
    /// # Errors
    ///
    /// With file and line: what is no record, an id that stands twice.
    pub fn load(root: &Path, config: &Config) -> Result<Option<ClaimRecords>, Mistakes> {
        let path = path(root, config);
        let file = relative(root, &path);
        let mistake = |line, message| Mistake { file: file.clone(), line, message };
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path)
            .map_err(|error| Mistakes(vec![mistake(1, format!("cannot be read: {error}"))]))?;
        let (mut lines, mut mistakes, mut ids) = (Vec::new(), Vec::new(), HashSet::new());
        for (index, line) in text.lines().enumerate() {
            match serde_json::from_str::<ClaimRecord>(line) {
                Ok(record) => {
                    if let Err(message) = record.check() {
                        mistakes.push(mistake(index + 1, message));
                    }
                    for id in record.ids() {
                        if !ids.insert(id.to_owned()) {
                            mistakes.push(mistake(index + 1, format!("{id:?} stands twice")));
                        }
                    }
                    lines.push((record, line.to_owned()));
                }
                Err(error) => mistakes.push(mistake(index + 1, error.to_string())),
            }
        }
        if mistakes.is_empty() {
            Ok(Some(ClaimRecords { file, lines }))
        } else {
            Err(Mistakes(mistakes))
        }
    }

    /// All of them, in the order of the file.
    pub fn all(&self) -> impl Iterator<Item = &ClaimRecord> {
        self.lines.iter().map(|(record, _)| record)
    }

    /// The line of the file that says just this, if there is one.
    pub fn line(&self, record: &ClaimRecord) -> Option<&str> {
        let mut lines = self.lines.iter();
        lines.find(|(known, _)| known == record).map(|(_, line)| line.as_str())
    }

    /// What is recorded of a claim.
    pub fn of(&self, id: &str) -> Option<&ClaimRecord> {
        self.all().find(|record| record.id == id)
    }

    /// In what a claim differs from its record, if it does, and what to do.
    pub(crate) fn differs(&self, claim: &Claim) -> Option<String> {
        let (id, file) = (&claim.id, &self.file);
        match self.of(id) {
            None => Some(format!("the claim {id:?} is not recorded in {file}: {RECORD}")),
            Some(record) if record.hash != hash(claim) => Some(format!(
                "the claim {id:?} has changed since it was recorded in {file}: {RECORD}"
            )),
            Some(_) => None,
        }
    }

    /// The records of claims that stand on no page.
    pub fn vanished(&self, claims: &[Claim]) -> Vec<Mistake> {
        let gone = self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, (record, _))| claims.iter().all(|claim| claim.id != record.id));
        let mistakes = gone.map(|(index, (record, _))| {
            let id = &record.id;
            let same = claims.iter().find(|claim| hash(claim) == record.hash);
            let unrecorded: Vec<&str> = claims
                .iter()
                .filter(|claim| self.of(&claim.id).is_none())
                .map(|claim| claim.id.as_str())
                .collect();
            let near = match same {
                Some(claim) => format!("; {:?} says the same", claim.id),
                None => nearest(id, &unrecorded),
            };
            let message = format!(
                "no page has the claim {id:?}: if it has a new id, write that into this line, and \"was\":[{id:?}]; \
                 if it is given up, drop the line{near}"
            );
            Mistake { file: self.file.clone(), line: index + 1, message }
        });
        mistakes.collect()
    }
}

impl ClaimRecord {
    fn check(&self) -> Result<(), String> {
        let times =
            [Some(("since", &self.since)), self.first_run.as_ref().map(|t| ("first_run", t))];
        for (name, time) in times.into_iter().flatten() {
            humantime::parse_rfc3339(time)
                .map_err(|error| format!("`{name}` is {time:?}, which is no time: {error}"))?;
        }
        if self.note.as_ref().is_some_and(|note| !note.ends_with('.')) {
            return Err("the note is no sentence: it has no full stop".to_owned());
        }
        Ok(())
    }

    /// Its id, and those that it had before.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        [&self.id].into_iter().chain(&self.was).map(String::as_str)
    }

    /// Whether a run that began then is younger. Both are RFC 3339 in UTC, so their letters have the
    /// order of the times.
    pub fn is_before(&self, run: &str) -> bool {
        self.since.as_str() < run
    }

    /// For the card of a claim: since when it has stood so, and whether that was before the runs that it is
    /// judged on, each given with its machine.
    pub(crate) fn in_words(&self, runs: &[(&str, &str)]) -> String {
        let (before, after): (Vec<_>, Vec<_>) =
            runs.iter().copied().partition(|(_, run)| self.is_before(run));
        let first = before.iter().map(|(_, run)| *run).chain(self.first_run.as_deref()).min();
        let machines = |runs: &[(&str, &str)]| {
            runs.iter().map(|(machine, _)| data::label(machine)).collect::<Vec<_>>().join(", ")
        };
        let day = |time: &str| time.split('T').next().unwrap_or_default().to_owned();
        let hour = |time: &str| time.get(11..16).unwrap_or_default().to_owned();
        let mut words = format!("Set on {}", day(&self.since));
        if self.commit.is_none() {
            words += " (not yet committed)";
        }
        match (first, &before[..], &after[..]) {
            // Nothing was measured of it.
            (_, [], []) => {}
            (_, [], _) => words += ", after the data that it is judged on",
            (Some(first), _, []) if day(first) == day(&self.since) => {
                words += &format!(
                    " at {} UTC, before the data that it is judged on (the first run since: {})",
                    hour(&self.since),
                    hour(first)
                );
            }
            (Some(first), _, []) => {
                words += &format!(
                    ", before the data that it is judged on (the first run since: {})",
                    day(first)
                );
            }
            _ => {
                words += &format!(
                    ", before the run on {}, after the one on {}",
                    machines(&before),
                    machines(&after)
                );
            }
        }
        words.push('.');
        if let Some(note) = &self.note {
            words += &format!(" {note}");
        }
        words
    }
}

/// What brings the file up to date.
const RECORD: &str = "cargo book claims --record";

/// Where the file of a book is.
pub fn path(root: &Path, config: &Config) -> PathBuf {
    root.join(&config.data).join("claims.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::ClaimPlace;
    use crate::figure_names::FigureNames;

    const CLAIM: &str = r#"
id        = "tea.pot"
sentence  = "A pot takes longer."
ratio     = "boil: pot, litres=1, lid=on, time to the boil / kettle"
predicate = "between 1.5 and 1,000"
"#;

    /// The hash of the claim in which one text is another one.
    fn hash_with(from: &str, to: &str) -> String {
        assert!(CLAIM.contains(from), "the claim has no {from:?}");
        let block = CLAIM.replacen(from, to, 1);
        let place = ClaimPlace { page: "tea.html", line: 1, question: "", chapter: "tea" };
        hash(&Claim::parse(&block, &FigureNames::default(), &place).unwrap())
    }

    #[test]
    fn what_decides_nothing_is_outside_the_hash() {
        let hash = hash_with("", "");
        // A change of the form would make every claim a new one.
        assert_eq!(hash, "e1754e4e779169b1");
        for (from, to) in [
            ("A pot takes longer.", "It takes longer in a pot."),
            ("tea.pot", "tea.kettle"),
            ("1,000", "1000.0"),
            ("1.5", "1.50"),
            ("litres=1, lid=on", "lid=on, litres=1"),
            ("litres=1, lid=on", "litres = 1,  lid = on"),
            ("boil: ", "tea/boil: "),
            ("/ kettle", "/ kettle, lid=on"),
        ] {
            assert_eq!(hash_with(from, to), hash, "{to}");
        }
    }

    #[test]
    fn what_decides_the_verdict_is_in_the_hash() {
        let mut hashes = vec![hash_with("", "")];
        for (from, to) in [
            ("pot, litres", "pan, litres"),
            ("litres=1", "litres=2"),
            ("/ kettle", "/ kettle, lid=off"),
            (
                "pot, litres=1, lid=on, time to the boil",
                "pot, litres=1, lid=on, time to the boil - empty",
            ),
            ("boil: ", "coffee/boil: "),
            ("1,000", "1,001"),
            ("between 1.5 and 1,000", "above 1.5"),
        ] {
            hashes.push(hash_with(from, to));
        }
        let count = hashes.len();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), count, "two of them are the same");
    }

    #[test]
    fn a_card_says_whether_the_predicate_is_older_than_the_data() {
        let record = ClaimRecord {
            id: "tea.pot".to_owned(),
            hash: "0123456789abcdef".to_owned(),
            since: "2026-11-12T10:00:00Z".to_owned(),
            commit: Some("0123456789".to_owned()),
            first_run: None,
            note: None,
            was: Vec::new(),
        };
        let (early, late) = (("a", "2026-11-12T09:59:59Z"), ("b", "2026-11-14T08:00:00Z"));
        assert_eq!(
            record.in_words(&[late]),
            "Set on 2026-11-12, before the data that it is judged on (the first run since: 2026-11-14)."
        );
        assert_eq!(
            record.in_words(&[early]),
            "Set on 2026-11-12, after the data that it is judged on."
        );
        assert_eq!(
            record.in_words(&[early, late]),
            "Set on 2026-11-12, before the run on b, after the one on a."
        );
        assert_eq!(record.in_words(&[]), "Set on 2026-11-12.");
        let met =
            ClaimRecord { first_run: Some("2026-11-12T10:30:00Z".to_owned()), ..record.clone() };
        assert_eq!(
            met.in_words(&[late]),
            "Set on 2026-11-12 at 10:00 UTC, before the data that it is judged on (the first run since: 10:30)."
        );
        let noted = ClaimRecord { commit: None, note: Some("It was 2.".to_owned()), ..record };
        assert_eq!(noted.in_words(&[]), "Set on 2026-11-12 (not yet committed). It was 2.");
    }
}
