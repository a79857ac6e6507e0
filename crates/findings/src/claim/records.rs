//! The history of the claims in `data/claims.jsonl`, which has a line for each predicate.
//!
//! A predicate has to be older than the data with which it is compared. So the file keeps, for
//! each predicate, a hash of everything that decides the verdict, and the time when the predicate
//! was recorded. Sentence and id are not hashed, so they can be corrected. Lines are only added;
//! the last line of a claim is the valid one. A line can also withdraw a claim. A book without
//! the file records nothing.

use std::collections::HashSet;
use std::path::Path;

use language::claim::Claim;
use language::config::DATA;
use language::{Mistake, Mistakes};
use measurement::name_check::check_commit;
use measurement::workload::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::data::label;
use crate::data::paths::{CLAIMS, read, relative};
use crate::data::read::before_now;

/// One line of the history of a claim. Times are UTC, in RFC 3339 format.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimRecord {
    /// The id of the claim.
    pub id: String,
    /// The hash of everything that decides the verdict, as computed by [`hash`].
    pub hash: String,
    /// The time when the predicate was recorded or committed.
    pub since: String,
    /// The commit since which the claim has had this hash. Lines written after 28 November 2026
    /// don't have this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The time when the chapter's first run after that commit began. The data may no longer
    /// contain this run. Lines written after 28 November 2026 don't have this field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_run: Option<String>,
    /// A sentence on the claim's card about a change that was made after data already existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Former ids of the claim.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub was: Vec<String>,
    /// A sentence that says why the claim was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<String>,
    /// The verdict that the reference machine had when the claim was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stood: Option<String>,
}

/// The history of all claims of a book, in the order of the file.
#[derive(Debug, Default)]
pub struct ClaimRecords {
    file: String,
    /// The parsed lines of the file.
    pub all: Vec<ClaimRecord>,
}

/// Returns the hash of what decides a claim's verdict, its rows and its predicate, as 16
/// hexadecimal digits. The spelling of numbers and the order of parameters don't matter. Items
/// that the right side of a ratio takes over from the left are included.
pub fn hash(claim: &Claim) -> String {
    let rows = claim.subject.in_full(&claim.chapter);
    let digest = Sha256::digest(format!("{rows}\n{}\n", claim.predicate));
    hex(&digest[..8])
}

impl ClaimRecords {
    /// Reads the file of a book's records. Returns `None` if the book has no such file.
    ///
    /// # Errors
    ///
    /// Fails, with file and line, if a line is not a record.
    pub fn load(root: &Path) -> Result<Option<ClaimRecords>, Mistakes> {
        let path = root.join(DATA).join(CLAIMS);
        let mut records = ClaimRecords { file: relative(root, &path), all: Vec::new() };
        if matches!(path.try_exists(), Ok(false)) {
            return Ok(None);
        }
        let text = read(&path);
        let text =
            text.map_err(|why| Mistakes(vec![records.mistake(why.line - 1, why.message)]))?;
        let mut mistakes = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match ClaimRecord::read(line) {
                Ok(record) => records.all.push(record),
                Err(message) => mistakes.push(records.mistake(index, message)),
            }
        }
        Mistakes(mistakes).or(Some(records))
    }

    fn mistake(&self, index: usize, message: String) -> Mistake {
        Mistake { file: self.file.clone(), line: index + 1, message }
    }

    /// Returns the last record of a claim, the only one that is still valid.
    pub fn of(&self, id: &str) -> Option<&ClaimRecord> {
        self.all.iter().rev().find(|record| record.id == id)
    }

    /// Returns the ids that a claim had before.
    pub fn was<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a String> {
        self.all.iter().filter(move |record| record.id == id).flat_map(|record| &record.was)
    }

    /// Returns how a claim on a page differs from its record, and what to do about it, or `None`
    /// if they agree.
    pub fn differs(&self, claim: &Claim) -> Option<String> {
        let (id, file, to_do) = (&claim.id, &self.file, "cargo book claims --record");
        Some(match self.of(id) {
            None => format!("the claim {id:?} is not recorded in {file}: {to_do}"),
            Some(known) if known.withdrawn.is_some() => {
                format!("{file} says that {id:?} was withdrawn: give a new claim a new id")
            }
            Some(known) if known.hash != hash(claim) => {
                format!("the claim {id:?} has changed since it was recorded in {file}: {to_do}")
            }
            Some(_) => return None,
        })
    }

    /// Returns the withdrawn claims, each with the reason why it was withdrawn.
    pub fn withdrawn(&self) -> impl Iterator<Item = (&ClaimRecord, &str)> {
        self.all.iter().filter_map(|record| Some((record, record.withdrawn.as_deref()?)))
    }

    /// Returns a mistake for each record whose claim is neither on a page nor withdrawn. `ids`
    /// are the ids of the claims on pages.
    pub fn vanished(&self, ids: &HashSet<&str>) -> Vec<Mistake> {
        let records = self.all.iter().enumerate();
        let gone = records.filter_map(|(index, ClaimRecord { id, .. })| {
            let is_withdrawn = self.of(id).is_some_and(|last| last.withdrawn.is_some());
            let has_moved = self.all.iter().any(|other| other.was.contains(id));
            let is_gone = !is_withdrawn && !has_moved && !ids.contains(id.as_str());
            is_gone.then(|| {
                let message = format!(
                    "no page has the claim {id:?}: if it has a new id, write \"was\":[{id:?}] into the line of that; if \
                     it was given up, add a line of its id and hash with \"withdrawn\":\"Why it was.\" and \"stood\" \
                     with its verdict"
                );
                self.mistake(index, message)
            })
        });
        gone.collect()
    }
}

impl ClaimRecord {
    fn read(line: &str) -> Result<ClaimRecord, String> {
        let record: ClaimRecord = serde_json::from_str(line).map_err(|error| error.to_string())?;
        for time in [&record.since].into_iter().chain(&record.first_run) {
            humantime::parse_rfc3339(time)
                .map_err(|error| format!("{time:?} is no time: {error}"))?;
            if let Some(now) = before_now(time) {
                return Err(format!("{time:?} is in the future: it is {now} now"));
            }
        }
        if let Some(first) = record.first_run.as_ref().filter(|first| !record.is_before(first)) {
            return Err(format!(
                "`first_run` is {first:?}, which began no later than the claim was set, {:?}",
                record.since
            ));
        }
        record.commit.as_deref().map_or(Ok(()), check_commit)?;
        for told in record.note.iter().chain(&record.withdrawn) {
            if !told.ends_with('.') {
                return Err(format!("{told:?} is no sentence: it has no full stop"));
            }
        }
        if record.withdrawn.is_some() != record.stood.is_some() {
            return Err("`withdrawn` and `stood` go together".to_owned());
        }
        Ok(record)
    }

    /// Returns true if the predicate was recorded before a run began at the time `run`. Both
    /// times are UTC in RFC 3339 format, so they can be compared as strings.
    pub fn is_before(&self, run: &str) -> bool {
        self.since.as_str() < run
    }

    /// Returns a text for the claim's card: when the predicate was recorded, whether that was
    /// before the runs that judge the claim, and the first run since. `runs` has the name of each
    /// machine, and the time at which its run began.
    pub fn in_words(&self, runs: &[(&str, &str)], first_run: Option<&str>) -> String {
        let minute = |time: &str| time.get(..16).unwrap_or_default().replace('T', " at ");
        let mut words = format!("Set on {} UTC", minute(&self.since));
        for (is_before, and) in [(true, "before"), (false, "after")] {
            let runs = runs.iter().filter(|(_, run)| self.is_before(run) == is_before);
            let machines: Vec<&str> = runs.map(|(machine, _)| label(machine)).collect();
            if !machines.is_empty() {
                words += &format!(", {and} the data of {}", machines.join(", "));
            }
        }
        words.push('.');
        if let Some(run) = first_run {
            words += &format!(" The first run since: {} UTC.", minute(run));
        }
        if let Some(note) = &self.note {
            words += &format!(" {note}");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::tests::claim;

    #[test]
    fn what_decides_the_verdict_is_in_the_hash_and_nothing_else() {
        let hash_of = |block: &str| hash(&claim(block));
        let block = "sentence = 'It takes longer.'\n\
                     ratio = 'boil: pot, litres=1, lid=on, time to the boil / kettle'\n\
                     predicate = 'between 1.5 and 1,000'";
        // If this hash changed, every recorded claim would be treated as a new one.
        assert_eq!(hash_of(block), "e1754e4e779169b1");
        for (from, to, is_same) in [
            ("longer", "more time", true),
            ("litres=1, lid=on", "lid=on,  litres = 1", true),
            ("boil: ", "tea/boil: ", true),
            ("/ kettle", "/ kettle, lid=on", true),
            ("1,000", "1000.0", true),
            ("pot", "pan", false),
            ("=1", "=2", false),
            ("/ kettle", "/ kettle, lid=off", false),
            ("the boil", "the boil - empty", false),
            ("boil: ", "coffee/boil: ", false),
            ("1,000", "1,001", false),
            ("between 1.5 and 1,000", "above 1.5", false),
        ] {
            let changed = block.replacen(from, to, 1);
            assert_eq!(hash_of(&changed) == hash_of(block), is_same, "{changed}");
        }
    }
}
