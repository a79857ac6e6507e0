//! Draws timelines with a lane for each core and for each thread or task, on one axis, as SVG
//! that needs no script.
//!
//! Horizontal positions are in per cent, so that labels keep their size on every screen. Vertical
//! positions are in pixels.

use language::block::ScaleKind;
use measurement::number_format::{self, Dimension, UnitScale};
use recordings::recording::Recorded;
use recordings::timeline::{Doing, LaneOf, Timeline};

use super::{Axis, LETTER, PHONE};
use crate::html::escape;

/// The heights, in pixels, of a line of text, of a bar, and of a whole lane.
const LINE: f64 = 18.0;
const BAR: f64 = 20.0;
const LANE: f64 = LINE + BAR + 8.0;

/// The space that a diamond or an arrow needs on each side of its position, in per cent of a
/// phone's width.
const MARK: f64 = 100.0 * 4.0 / PHONE;

/// Returns a picture of one or two recordings, each with its heading. The `title` is for screen
/// readers.
pub(super) fn svg(title: &str, recordings: &[(&str, &Recorded)]) -> String {
    let lengths = recordings.iter().map(|(_, recorded)| recorded.shown.length as f64);
    let longest = lengths.fold(0.0, f64::max);
    let scale = number_format::scale(longest, Dimension::TIME);
    let axis =
        Axis::of_quantity(String::new(), ScaleKind::Linear, &[longest], Dimension::TIME, scale);
    let mut picture = Picture { axis, scale, y: 0.0, svg: String::new() };
    for (head, recorded) in recordings {
        picture.recording(head, recorded);
    }
    picture.ticks();
    format!(
        "<svg class=\"measured-lanes\" role=\"img\" aria-label=\"{}\" width=\"100%\" height=\"{:.0}\">{}</svg>",
        escape(title),
        picture.y,
        picture.svg,
    )
}

/// Formats how long a single operation took, to three digits.
pub(super) fn time(nanoseconds: u64) -> String {
    number_format::value(number_format::rounded(nanoseconds as f64, 3), Dimension::TIME)
}

struct Picture {
    axis: Axis,
    scale: UnitScale,
    /// The vertical position of the next element, in pixels from the top of the picture.
    y: f64,
    svg: String,
}

impl Picture {
    /// Returns the horizontal position of a time, in per cent of the width.
    fn x(&self, nanoseconds: u64) -> f64 {
        100.0 * self.axis.place(nanoseconds as f64 / self.scale.divisor)
    }

    fn recording(&mut self, head: &str, recorded: &Recorded) {
        let timeline = &recorded.shown;
        self.text((0.0, self.y + 14.0), " class=\"measured-head\"", "start", head);
        self.y += LINE + 4.0;
        // Draws the numbered steps one after the other.
        let mut from = 0;
        for (place, (step, took)) in recorded.steps.iter().zip(&timeline.steps).enumerate() {
            let number = (place + 1).to_string();
            let title = format!("{number}. {}, {}", step.name, time(*took));
            let down = (self.y, 16.0);
            self.piece((from, from + took), down, "measured-step", &title, &number, &[]);
            from += took;
        }
        self.y += 22.0;
        let top = self.y;
        for (core, number) in timeline.cores.iter().enumerate() {
            self.lane(LaneOf::Core(core), &format!("core {number}"), timeline);
        }
        for (unit, name) in timeline.units.iter().enumerate() {
            self.lane(LaneOf::Unit(unit), name, timeline);
        }
        for wake in &timeline.wakes {
            let [(from, by), (to, woken)] = [wake.by, wake.woken].map(|unit| {
                let lane = (timeline.cores.len() + unit) as f64;
                (top + lane * LANE + LINE + BAR / 2.0, &timeline.units[unit])
            });
            let x = self.x(wake.at);
            let back = if to > from { -7.0 } else { 7.0 };
            let title = escape(&format!("{by} wakes {woken}, at {}", time(wake.at)));
            self.svg += &format!(
                "<g class=\"measured-wake\"><title>{title}</title><line x1=\"{x:.2}%\" y1=\"{from:.1}\" x2=\"{x:.2}%\" \
                 y2=\"{to:.1}\"/><svg x=\"{x:.2}%\" y=\"{to:.1}\" overflow=\"visible\"><path d=\"M0 0L-4 {back}H4z\"/></svg></g>",
            );
        }
        self.y += 6.0;
    }

    fn lane(&mut self, lane: LaneOf, label: &str, timeline: &Timeline) {
        // The name of a lane is placed above the lane. It begins at the left edge. If arrows to
        // higher lanes cross that place, it begins to the right of the arrows.
        let through = timeline.wakes.iter().filter(|wake| {
            let (upper, lower) = (wake.by.min(wake.woken), wake.by.max(wake.woken));
            (upper + 1..=lower).any(|unit| lane == LaneOf::Unit(unit))
        });
        let mut places: Vec<f64> = through.map(|wake| self.x(wake.at)).collect();
        places.sort_by(f64::total_cmp);
        let width = 100.0 * label.chars().count() as f64 * LETTER / PHONE;
        let aside = |left, &place| if place < left + width + MARK { place + MARK } else { left };
        let left = places.iter().fold(0.0, aside);
        self.text((left, self.y + 13.0), "", "start", label);
        // Finds the marks over the lane's bars: diamonds, and the ends of arrows.
        let incidents = || timeline.incidents.iter().filter(|incident| incident.of == lane);
        let wakes = timeline.wakes.iter();
        let ends = wakes.filter(|wake| [wake.by, wake.woken].map(LaneOf::Unit).contains(&lane));
        let mut marks: Vec<u64> = incidents().map(|incident| incident.at).collect();
        marks.extend(ends.map(|wake| wake.at));
        marks.sort_unstable();
        for span in timeline.of_lane(lane) {
            let (class, name) = match &span.doing {
                Doing::Idle => ("measured-idle", "idle"),
                Doing::Other => ("measured-other", "others"),
                Doing::Runs(unit) => ("measured-runs", &*timeline.units[*unit]),
                Doing::User => ("measured-user", "user"),
                Doing::Call(call) => ("measured-call", &**call),
                Doing::Runnable => ("measured-runnable", "runnable, waits for a core"),
                Doing::Asleep => ("measured-asleep", "asleep"),
            };
            let title = format!("{name}, {} from {}", time(span.to - span.from), time(span.from));
            let label = name.split(',').next().unwrap_or_default();
            let down = (self.y + LINE, BAR);
            self.piece((span.from, span.to), down, class, &title, label, &marks);
        }
        for incident in incidents() {
            let (x, middle) = (self.x(incident.at), self.y + LINE + BAR / 2.0);
            let title = escape(&format!("{}, at {}", incident.name, time(incident.at)));
            self.svg += &format!(
                "<svg x=\"{x:.2}%\" y=\"{middle:.1}\" overflow=\"visible\"><path class=\"measured-incident\" \
                 d=\"M0-6L5 0L0 6L-5 0z\"><title>{title}</title></path></svg>"
            );
        }
        self.y += LANE;
    }

    /// Adds a bar with `title` as its tooltip. The bar gets a `label` if a phone has room for it
    /// in the widest part of the bar that no mark covers. `marks` must be sorted by time.
    fn piece(
        &mut self,
        (from, to): (u64, u64),
        (y, height): (f64, f64),
        class: &str,
        title: &str,
        label: &str,
        marks: &[u64],
    ) {
        let (left, right) = (self.x(from), self.x(to));
        self.svg += &format!(
            "<rect class=\"{class}\" x=\"{left:.2}%\" y=\"{y:.1}\" width=\"{:.2}%\" height=\"{height}\">\
             <title>{}</title></rect>",
            right - left,
            escape(title)
        );
        let (mut widest, mut begin) = ((left, left), left);
        // The last position is infinite, so the last piece extends to the end of the bar.
        for place in marks.iter().map(|at| self.x(*at)).chain([f64::INFINITY]) {
            let end = (place - MARK).min(right);
            if end - begin > widest.1 - widest.0 {
                widest = (begin, end);
            }
            begin = begin.max(place + MARK);
        }
        let (left, right) = widest;
        if label.chars().count() as f64 * LETTER + 4.0 <= (right - left) / 100.0 * PHONE {
            let middle = ((left + right) / 2.0, y + height - 5.0);
            self.text(middle, " class=\"measured-label\"", "middle", label);
        }
    }

    fn text(&mut self, (x, y): (f64, f64), class: &str, anchor: &str, text: &str) {
        self.svg += &format!(
            "<text{class} x=\"{x:.2}%\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    }

    fn ticks(&mut self) {
        let y = self.y;
        self.svg += &format!(
            "<line class=\"measured-grid\" x1=\"0\" y1=\"{y:.1}\" x2=\"100%\" y2=\"{y:.1}\"/>"
        );
        for (value, label) in std::mem::take(&mut self.axis.ticks) {
            let x = 100.0 * self.axis.place(value);
            let label = if value == 0.0 { label } else { self.scale.join(&label) };
            let half = 50.0 * label.chars().count() as f64 * LETTER / PHONE;
            let anchor = match x {
                0.0 => "start",
                _ if x + half > 100.0 => "end",
                _ => "middle",
            };
            self.svg += &format!(
                "<line class=\"measured-grid\" x1=\"{x:.2}%\" y1=\"{y:.1}\" x2=\"{x:.2}%\" y2=\"{:.1}\"/>",
                y + 4.0
            );
            self.text((x, y + 16.0), "", anchor, &label);
        }
        self.y += 24.0;
    }
}
