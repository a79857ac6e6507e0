//! The picture of timelines: lanes for cores and for units, on one axis, as SVG that needs no script.
//!
//! Across, everything stands in per cent, so that texts keep their size on every screen; down, in pixels.

use std::fmt::Write as _;

use measurement::Unit;
use recordings::recording::Recorded;
use recordings::timeline::{Doing, LaneOf, Span, Timeline, Wake};

use super::axis::Axis;
use super::chart_block::ScaleKind;
use crate::figure::number_format::{self, Dimension, UnitScale};
use crate::html::escape;

const TIME: Dimension = Dimension::Of(Unit::Nanoseconds);

/// How high a line of text is, a bar, and all that belongs to a lane, in pixels.
const LINE: f64 = 18.0;
const BAR: f64 = 20.0;
const LANE: f64 = LINE + BAR + 8.0;

/// The width of a letter, and that of a phone: what has no room there has no label anywhere.
const LETTER: f64 = 7.2;
const PHONE: f64 = 300.0;

/// What a diamond or an arrow covers on either side of its place on a phone, in per cent of the width.
const MARK: f64 = 100.0 * 4.0 / PHONE;

/// One or two recordings, each with what stands over it.
pub(super) fn svg(recordings: &[(&str, &Recorded)]) -> String {
    let lengths = recordings.iter().map(|(_, recorded)| recorded.shown.length as f64);
    let longest = lengths.fold(0.0, f64::max);
    let scale = number_format::scale(longest, TIME);
    let axis = Axis::of_quantity("", ScaleKind::Linear, &[longest], TIME, scale);
    let mut picture = Picture { axis: &axis, scale, y: 0.0, svg: String::new() };
    for (head, recorded) in recordings {
        picture.recording(head, recorded);
    }
    picture.ticks();
    let Picture { y, svg, .. } = picture;
    let label = recordings.iter().map(|(head, recorded)| alternative(head, recorded));
    let label = escape(&label.collect::<Vec<_>>().join(" "));
    format!(
        "<svg class=\"measured-lanes\" role=\"img\" aria-label=\"{label}\" width=\"100%\" height=\"{y:.0}\">{svg}</svg>"
    )
}

/// The steps with their times, for those who do not see the picture.
fn alternative(head: &str, recorded: &Recorded) -> String {
    let steps = recorded.steps.iter().zip(&recorded.shown.steps);
    let steps = steps.map(|(step, took)| format!("{} {}", step.name, time(*took)));
    format!("{head}: {}.", steps.collect::<Vec<_>>().join(", then "))
}

fn time(nanoseconds: u64) -> String {
    number_format::value(number_format::rounded(nanoseconds as f64, 3), TIME)
}

/// When something is drawn over the bars of a lane: a diamond, or an end of an arrow.
fn marks(timeline: &Timeline, lane: LaneOf) -> Vec<u64> {
    let incidents = timeline.incidents.iter().filter(|incident| incident.of == lane);
    let ends = |wake: &&Wake| [wake.by, wake.woken].map(LaneOf::Unit).contains(&lane);
    let wakes = timeline.wakes.iter().filter(ends).map(|wake| wake.at);
    let mut marks: Vec<u64> = incidents.map(|incident| incident.at).chain(wakes).collect();
    marks.sort_unstable();
    marks
}

struct Picture<'a> {
    axis: &'a Axis,
    scale: UnitScale,
    /// Where the next thing begins, in pixels from the top.
    y: f64,
    svg: String,
}

impl Picture<'_> {
    /// From the left, in per cent.
    fn x(&self, nanoseconds: u64) -> f64 {
        100.0 * self.axis.place(nanoseconds as f64 / self.scale.divisor)
    }

    fn recording(&mut self, head: &str, recorded: &Recorded) {
        let timeline = &recorded.shown;
        self.text(0.0, self.y + 14.0, "measured-head", "start", head);
        self.y += LINE + 4.0;
        self.steps(recorded);
        let lanes = (0..timeline.cores.len()).map(LaneOf::Core);
        let lanes = lanes.chain((0..timeline.units.len()).map(LaneOf::Unit));
        let top = self.y;
        for lane in lanes.clone() {
            let label = match lane {
                LaneOf::Core(core) => format!("core {}", timeline.cores[core]),
                LaneOf::Unit(unit) => timeline.units[unit].clone(),
            };
            let left = self.beside_arrows(lane, &label, timeline);
            self.text(left, self.y + 13.0, "", "start", &label);
            for span in timeline.of_lane(lane) {
                self.span(span, timeline);
            }
            for incident in timeline.incidents.iter().filter(|incident| incident.of == lane) {
                let (x, middle) = (self.x(incident.at), self.y + LINE + BAR / 2.0);
                let title = escape(&format!("{}, at {}", incident.name, time(incident.at)));
                let _ = write!(
                    self.svg,
                    "<svg x=\"{x:.2}%\" y=\"{middle:.1}\" overflow=\"visible\"><path class=\"measured-incident\" \
                     d=\"M0-6L5 0L0 6L-5 0z\"><title>{title}</title></path></svg>"
                );
            }
            self.y += LANE;
        }
        let place = |lane: LaneOf| lanes.clone().position(|of| of == lane).unwrap_or(0) as f64;
        for wake in &timeline.wakes {
            let end = |unit: usize| top + place(LaneOf::Unit(unit)) * LANE + LINE + BAR / 2.0;
            let name = |unit: usize| &timeline.units[unit];
            let (from, to) = (end(wake.by), end(wake.woken));
            let title =
                format!("{} wakes {}, at {}", name(wake.by), name(wake.woken), time(wake.at));
            self.arrow(self.x(wake.at), from, to, &title);
        }
        self.y += 6.0;
    }

    /// The steps, one behind the other, by their numbers.
    fn steps(&mut self, recorded: &Recorded) {
        let mut from = 0;
        for (place, (step, took)) in recorded.steps.iter().zip(&recorded.shown.steps).enumerate() {
            let to = from + took;
            let number = (place + 1).to_string();
            let title = format!("{number}. {}, {}", step.name, time(*took));
            self.piece((from, to), self.y, 16.0, "measured-step", &title, (&number, &[]));
            from = to;
        }
        self.y += 22.0;
    }

    fn span(&mut self, span: &Span, timeline: &Timeline) {
        let (class, name) = match &span.doing {
            Doing::Idle => ("measured-idle", "idle".to_owned()),
            Doing::Other => ("measured-other", "others".to_owned()),
            Doing::Runs(unit) => ("measured-runs", timeline.units[*unit].clone()),
            Doing::User => ("measured-user", "user".to_owned()),
            Doing::Call(call) => ("measured-call", call.clone()),
            Doing::Runnable => ("measured-runnable", "runnable, waits for a core".to_owned()),
            Doing::Asleep => ("measured-asleep", "asleep".to_owned()),
        };
        let label = name.split(',').next().unwrap_or_default();
        let title = format!("{name}, {} from {}", time(span.to - span.from), time(span.from));
        let marks = marks(timeline, span.of);
        self.piece((span.from, span.to), self.y + LINE, BAR, class, &title, (label, &marks));
    }

    /// Where the name of a lane begins: at the left, or behind the arrow that would go through it there.
    fn beside_arrows(&self, lane: LaneOf, label: &str, timeline: &Timeline) -> f64 {
        let LaneOf::Unit(unit) = lane else { return 0.0 };
        // A name stands above its lane: the arrows that go through are those that pass into lanes above it.
        let through = timeline.wakes.iter().filter(|wake| {
            let (upper, lower) = (wake.by.min(wake.woken), wake.by.max(wake.woken));
            (upper + 1..=lower).contains(&unit)
        });
        let mut places: Vec<f64> = through.map(|wake| self.x(wake.at)).collect();
        places.sort_by(f64::total_cmp);
        let width = 100.0 * label.chars().count() as f64 * LETTER / PHONE;
        let is_in_the_way = |left: f64, place: f64| place < left + width + MARK;
        let aside = |left, &place| if is_in_the_way(left, place) { place + MARK } else { left };
        places.iter().fold(0.0, aside)
    }

    /// A bar that tells its title when it is pointed at, with a label where a phone has room for it: in the
    /// widest part of the bar that no mark covers.
    fn piece(
        &mut self,
        (from, to): (u64, u64),
        y: f64,
        height: f64,
        class: &str,
        title: &str,
        (label, marks): (&str, &[u64]),
    ) {
        let (left, right) = (self.x(from), self.x(to));
        let _ = write!(
            self.svg,
            "<rect class=\"{class}\" x=\"{left:.2}%\" y=\"{y:.1}\" width=\"{:.2}%\" height=\"{height}\">\
             <title>{}</title></rect>",
            right - left,
            escape(title)
        );
        let (left, right) = self.widest_part((left, right), marks);
        let room = (right - left) / 100.0 * PHONE;
        if label.chars().count() as f64 * LETTER + 4.0 <= room {
            let middle = (left + right) / 2.0;
            self.text(middle, y + height - 5.0, "measured-label", "middle", label);
        }
    }

    /// The widest part of a bar between the marks on it, which are in the order of their times.
    fn widest_part(&self, (left, right): (f64, f64), marks: &[u64]) -> (f64, f64) {
        let mut widest = (left, left);
        let mut begin = left;
        // The last part ends with the bar.
        for place in marks.iter().map(|at| self.x(*at)).chain([f64::INFINITY]) {
            let end = (place - MARK).min(right);
            if end - begin > widest.1 - widest.0 {
                widest = (begin, end);
            }
            begin = begin.max(place + MARK);
        }
        widest
    }

    fn arrow(&mut self, x: f64, from: f64, to: f64, title: &str) {
        let back = if to > from { -7.0 } else { 7.0 };
        let _ = write!(
            self.svg,
            "<g class=\"measured-wake\"><title>{}</title><line x1=\"{x:.2}%\" y1=\"{from:.1}\" x2=\"{x:.2}%\" \
             y2=\"{to:.1}\"/><svg x=\"{x:.2}%\" y=\"{to:.1}\" overflow=\"visible\"><path d=\"M0 0L-4 {back}H4z\"/></svg></g>",
            escape(title)
        );
    }

    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = write!(
            self.svg,
            "<text{class} x=\"{x:.2}%\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    }

    /// The axis below all.
    fn ticks(&mut self) {
        let _ = write!(
            self.svg,
            "<line class=\"measured-grid\" x1=\"0\" y1=\"{y:.1}\" x2=\"100%\" y2=\"{y:.1}\"/>",
            y = self.y
        );
        for (value, label) in &self.axis.ticks {
            let x = 100.0 * self.axis.place(*value);
            let anchor = if *value == 0.0 { "start" } else { "middle" };
            let label = if *value == 0.0 { label.clone() } else { self.scale.join(label) };
            let (y, below) = (self.y, self.y + 16.0);
            let _ = write!(
                self.svg,
                "<line class=\"measured-grid\" x1=\"{x:.2}%\" y1=\"{y:.1}\" x2=\"{x:.2}%\" y2=\"{:.1}\"/>",
                y + 4.0
            );
            self.text(x, below, "", anchor, &label);
        }
        self.y += 24.0;
    }
}

#[cfg(test)]
mod tests {
    use recordings::recording::RecordedStep;
    use recordings::timeline::Incident;

    use super::*;

    fn hop() -> Recorded {
        let span = |of, from, to, doing| Span { of, from, to, doing };
        let timeline = Timeline {
            length: 9_000,
            steps: vec![1_000, 8_000],
            units: vec!["writer".to_owned(), "reader".to_owned()],
            cores: vec![0, 1],
            spans: vec![
                span(LaneOf::Core(0), 0, 9_000, Doing::Runs(0)),
                span(LaneOf::Core(1), 0, 7_000, Doing::Idle),
                span(LaneOf::Core(1), 7_000, 9_000, Doing::Runs(1)),
                span(LaneOf::Unit(0), 0, 9_000, Doing::Call("write".to_owned())),
                span(LaneOf::Unit(1), 0, 1_000, Doing::Asleep),
                span(LaneOf::Unit(1), 1_000, 7_000, Doing::Runnable),
                span(LaneOf::Unit(1), 7_000, 7_100, Doing::User),
            ],
            wakes: vec![Wake { at: 1_000, by: 0, woken: 1 }],
            incidents: vec![Incident {
                at: 6_500,
                of: LaneOf::Core(1),
                name: "interrupt taken".to_owned(),
            }],
        };
        let step = |name: &str, took| RecordedStep { name: name.to_owned(), took: vec![took] };
        Recorded {
            operation: "hop".to_owned(),
            stamps_only: false,
            operations: 1,
            others: 0,
            lengths: vec![9_000.0],
            events: vec![7.0],
            few_lengths: vec![7_000.0],
            few_events: vec![2.0],
            unrecorded: vec![6_000.0],
            steps: vec![step("write to waking", 1_000.0), step("waking to return", 8_000.0)],
            shown: timeline,
        }
    }

    #[test]
    fn every_piece_tells_its_name_and_its_time() {
        let recorded = hop();
        let svg = svg(&[("to another core", &recorded)]);
        for title in [
            "1. write to waking, 1 µs",
            "write, 9 µs from 0 ns",
            "runnable, waits for a core, 6 µs from 1 µs",
            "user, 100 ns from 7 µs",
            "idle, 7 µs from 0 ns",
            "writer wakes reader, at 1 µs",
            "interrupt taken, at 6.5 µs",
        ] {
            assert!(svg.contains(&format!("<title>{title}</title>")), "{title} in {svg}");
        }
        let steps = "to another core: write to waking 1 µs, then waking to return 8 µs.";
        assert!(svg.contains(&format!("aria-label=\"{steps}\"")));
        // What is too narrow for its label has none.
        assert!(svg.contains(">write</text>") && !svg.contains(">user</text>"));
    }

    #[test]
    fn no_mark_stands_on_a_label() {
        let mut recorded = hop();
        let place = |svg: &str, label: &str| {
            let text =
                svg.split("<text").find(|text| text.contains(&format!(">{label}</text>")))?;
            text.split("x=\"").nth(1)?.split('%').next()?.parse::<f64>().ok()
        };
        let before = svg(&[("", &recorded)]);
        let middle = place(&before, "write").expect("write has room");
        let name = place(&before, "reader").expect("the lane has a name");
        assert!(name > 10.0, "the arrow at a ninth of the length goes through {name}");
        recorded.shown.incidents.push(Incident {
            at: 5_000,
            of: LaneOf::Unit(0),
            name: "interrupt".to_owned(),
        });
        let after = svg(&[("", &recorded)]);
        let aside = place(&after, "write").expect("write has room still");
        assert!((middle - aside).abs() > 10.0, "from {middle} to {aside}");
    }

    #[test]
    fn two_recordings_stand_on_one_axis() {
        let (long, mut short) = (hop(), hop());
        short.shown.spans.retain(|span| span.of == LaneOf::Core(0));
        short.shown.spans[0].to = 4_500;
        let svg = svg(&[("far", &long), ("near", &short)]);
        let widths = svg.split("measured-runs").skip(1).filter_map(|rect| {
            rect.split("width=\"").nth(1)?.split('%').next()?.parse::<f64>().ok()
        });
        let widths: Vec<f64> = widths.collect();
        assert!((widths[0] / widths[widths.len() - 1] - 2.0).abs() < 0.01, "{widths:?}");
    }
}
