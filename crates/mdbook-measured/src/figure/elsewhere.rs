//! What the other machines measured, in a few words: `AMD: 3.8 µs`, `AMD: the same`.

use indexmap::IndexMap;
use measurement::Interval;

use crate::data::MachineData;
use crate::figure::number_format::range;
use crate::figure::{Detail, Figure, Missing, RichText, Subject};
use crate::page::OnPage;

/// Two figures are the same within this factor, and also within a wider one if their intervals do not tell them
/// apart: that they overlap is not enough, since those of a hurried run overlap with everything.
const SAME: f64 = 1.1;
const SAME_AS_FAR_AS_KNOWN: f64 = 1.25;
const ROUNDING: f64 = 1.02;

/// A figure that is not known within this factor is told with its interval, and not among others.
const VAGUE: f64 = 10.0;

/// A machine, and what it measured.
type Found<'a> = (&'a MachineData, Figure);

/// What a subject comes to on all machines but the reference and the reader's own, by runs that are not stale: those
/// of one maker together, as far as they agree. Nothing where none has it.
pub(crate) fn told(subject: &Subject, on: &OnPage<'_>) -> Result<RichText, String> {
    let here = Missing::or_none(on.find(subject))?.map(|figure| figure.mostly());
    let (chapter, experiment) = (on.chapter_of(subject), subject.experiment());
    let data = &on.book.data;
    let others = data.having(chapter, experiment).into_iter().skip(1);
    let found = others.filter(|(machine, _)| !machine.is_local()).filter_map(|(machine, runs)| {
        let is_there = runs.stale(experiment).is_empty() && subject.is_in(&runs.evidence);
        let figure = is_there.then(|| subject.find(&runs.evidence).ok())??;
        Some((machine, figure))
    });
    let found: Vec<Found<'_>> = found.collect();
    let known: Vec<&str> = found.iter().map(|(machine, _)| machine.name()).collect();
    let names = |some: &[&Found<'_>]| {
        let some: Vec<&str> = some.iter().map(|(machine, _)| machine.name()).collect();
        data.names(&some, &known)
    };
    let mut makers: IndexMap<&str, Vec<&Found<'_>>> = IndexMap::new();
    for of in &found {
        makers.entry(of.0.maker().0).or_default().push(of);
    }
    let mut line = RichText::default();
    let mut tell = |some: &[&Found<'_>], figure: RichText| {
        let space = if line.plain().is_empty() { "" } else { "; " };
        line.append(RichText::literal(&format!("{space}{}: ", names(some))));
        line.append(figure);
    };
    for of_maker in makers.into_values() {
        let is_same =
            |of: &&&Found<'_>| here.is_some_and(|(here, _)| are_the_same(here, of.1.mostly().0));
        let (same, others): (Vec<_>, Vec<_>) = of_maker.iter().partition(is_same);
        if !same.is_empty() {
            tell(&same, RichText::words("the same"));
        }
        for alike in alike(others) {
            let (low, high) = (alike[0].1.mostly(), alike[alike.len() - 1].1.mostly());
            let ends = Interval { low: low.0.estimate, high: high.0.estimate, ..low.0 };
            // Rounded, the two ends would often be one.
            let told = if alike.len() == 1 || ends.high <= ROUNDING * ends.low {
                alike[0].1.told(subject.to_string(), Detail::Full).into()
            } else {
                RichText::words(&range(ends, low.1).replace(' ', "\u{a0}"))
            };
            tell(&alike, told);
        }
    }
    Ok(line)
}

/// Those together that measured about the same, from the least to the most.
fn alike<'a, 'b>(mut of: Vec<&'a Found<'b>>) -> Vec<Vec<&'a Found<'b>>> {
    let estimate = |of: &Found<'_>| of.1.mostly().0.estimate;
    let is_vague = |of: &Found<'_>| {
        let Interval { low, high, .. } = of.1.mostly().0;
        high > VAGUE * low
    };
    of.sort_by(|one, other| estimate(one).total_cmp(&estimate(other)));
    let mut groups: Vec<Vec<&Found<'b>>> = Vec::new();
    for other in of {
        match groups.last_mut() {
            Some(group)
                if !is_vague(other)
                    && !is_vague(group[0])
                    && estimate(other) <= SAME_AS_FAR_AS_KNOWN * estimate(group[0]) =>
            {
                group.push(other);
            }
            _ => groups.push(vec![other]),
        }
    }
    groups
}

fn are_the_same(here: Interval, there: Interval) -> bool {
    let apart = there.estimate / here.estimate;
    let within = |factor: f64| (1.0 / factor..=factor).contains(&apart);
    let overlap = here.low <= there.high && there.low <= here.high;
    within(SAME) || (within(SAME_AS_FAR_AS_KNOWN) && overlap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_the_same_if_they_are_near_and_nothing_tells_them_apart() {
        let interval = |[low, estimate, high]: [f64; 3]| Interval { estimate, low, high };
        let here = interval([9.0, 10.0, 11.0]);
        for (there, expected) in [
            ([10.4, 10.5, 10.6], true),
            ([11.9, 12.0, 12.1], false),
            ([10.5, 12.0, 13.0], true),
            ([1.0, 30.0, 100.0], false),
            ([7.0, 8.1, 9.2], true),
        ] {
            assert_eq!(are_the_same(here, interval(there)), expected, "{there:?}");
        }
    }
}
