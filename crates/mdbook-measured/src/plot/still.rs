//! A still picture of a plot: what is seen until plotly.js has come, and where no script runs.
//!
//! It is drawn from what plotly.js would get, as far as this crate's charts go: points, lines and areas,
//! lying bars, fields of a heat map, axes with given ranges and ticks, texts. Its geometry stands in
//! a picture of 100 by 100 that is stretched to the place it has, its texts and marks beside that in
//! one that is not, so that they keep their size on every screen.

use std::fmt::Write as _;

use serde_json::Value;

use crate::colour::{BLACKEST, Rgb, WHITEST};
use crate::html::{escape, without_tags};

/// How wide a letter is, in pixels, nearly; and how high a line.
const LETTER: f64 = 7.2;
const LINE: f64 = 19.0;

/// A still picture of a plot as plotly.js gets it; none if it has no axes with ranges.
pub(super) fn of(plot: &Value) -> Option<String> {
    let layout = &plot["layout"];
    let x = Axis::read(&layout["xaxis"], plot, "x")?;
    let y = Axis::read(&layout["yaxis"], plot, "y")?;
    let mut picture = Picture { x, y, geometry: String::new(), texts: String::new() };
    picture.axes();
    for trace in plot["data"].as_array()? {
        match trace["type"].as_str()? {
            "bar" => picture.bars(trace),
            "heatmap" => picture.fields(trace),
            _ => picture.points(trace),
        }
    }
    let names = |annotations: &Value| annotations.as_array().cloned().unwrap_or_default();
    for annotation in names(&layout["annotations"]) {
        picture.annotation(&annotation);
    }
    let legend = legend(plot);
    let margin = |side: &str| layout["margin"][side].as_f64().unwrap_or(8.0);
    let title = |axis: &Axis| if axis.title.is_empty() { 0.0 } else { LINE + 6.0 };
    let Picture { x, y, geometry, texts } = picture;
    let left = margin("l").max(y.label_width() + 18.0 + title(&y));
    let bottom = margin("b") + x.label_lines() * LINE + 8.0 + title(&x);
    Some(format!(
        "<div class=\"measured-still\">{legend}<div style=\"margin:{:.0}px {:.0}px {bottom:.0}px {left:.0}px\">\
         <svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\">{geometry}</svg><svg>{texts}</svg></div></div>",
        // Half a label may stand above the picture.
        margin("t").max(12.0),
        margin("r"),
    ))
}

/// An axis as plotly.js gets it.
struct Axis {
    title: String,
    is_log: bool,
    from: f64,
    to: f64,
    /// Where each tick is, in per cent of the axis from its beginning, and what stands there.
    ticks: Vec<(f64, String)>,
    has_grid: bool,
}

impl Axis {
    fn read(axis: &Value, plot: &Value, letter: &str) -> Option<Axis> {
        let (from, to) = match axis["range"].as_array() {
            Some(range) => (range.first()?.as_f64()?, range.get(1)?.as_f64()?),
            // The columns or lines of a heat map, from the left and from the top.
            None => {
                let lines = plot["data"][0]["z"].as_array()?;
                let count = if letter == "y" { lines.len() } else { lines[0].as_array()?.len() };
                let (first, last) = (-0.5, count as f64 - 0.5);
                if letter == "y" { (last, first) } else { (first, last) }
            }
        };
        let mut found = Axis {
            title: axis["title"]["text"].as_str().unwrap_or_default().to_owned(),
            is_log: axis["type"] == "log",
            from,
            to,
            ticks: Vec::new(),
            has_grid: axis["showgrid"] != false,
        };
        let labels = axis["ticktext"].as_array()?.iter().filter_map(Value::as_str);
        let ticks = axis["tickvals"].as_array()?.iter().filter_map(Value::as_f64);
        found.ticks =
            ticks.zip(labels).map(|(tick, label)| (found.place(tick), label.to_owned())).collect();
        Some(found)
    }

    /// Where a value is, in per cent of the axis from its beginning.
    fn place(&self, value: f64) -> f64 {
        self.place_of_coordinate(if self.is_log { value.log10() } else { value })
    }

    fn place_of_coordinate(&self, coordinate: f64) -> f64 {
        100.0 * (coordinate - self.from) / (self.to - self.from)
    }

    /// How wide the widest label is, in pixels.
    fn label_width(&self) -> f64 {
        let widths = self.ticks.iter().flat_map(|(_, label)| lines(label));
        widths.map(|line| line.chars().count()).max().unwrap_or(0) as f64 * LETTER
    }

    fn label_lines(&self) -> f64 {
        self.ticks.iter().map(|(_, label)| lines(label).len()).max().unwrap_or(0) as f64
    }
}

/// The lines of a text in plotly.js's HTML.
fn lines(text: &str) -> Vec<String> {
    text.split("<br>").map(without_tags).collect()
}

struct Picture {
    x: Axis,
    y: Axis,
    /// In per cent of the picture, which is stretched.
    geometry: String,
    /// What is not stretched.
    texts: String,
}

impl Picture {
    /// From the left and from the top, in per cent.
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.place(x), 100.0 - self.y.place(y))
    }

    fn axes(&mut self) {
        let mut grid = String::new();
        for (place, label) in &self.x.ticks {
            text(&mut self.texts, (*place, 100.0), (0.0, 18.0), "middle", &lines(label));
            if self.x.has_grid {
                let _ = write!(grid, "M{place:.2} 0V100");
            }
        }
        for (place, label) in &self.y.ticks {
            let place = 100.0 - place;
            text(&mut self.texts, (0.0, place), (-6.0, 4.0), "end", &lines(label));
            if self.y.has_grid {
                let _ = write!(grid, "M0 {place:.2}H100");
            }
        }
        let _ = write!(self.geometry, "<path class=\"measured-grid\" d=\"{grid}\"/>");
        let below = 18.0 + self.x.label_lines() * LINE + 4.0;
        if !self.x.title.is_empty() {
            text(&mut self.texts, (50.0, 100.0), (0.0, below), "middle", &lines(&self.x.title));
        }
        if !self.y.title.is_empty() {
            let left = -(self.y.label_width() + 18.0);
            let title = escape(&self.y.title);
            let _ = write!(
                self.texts,
                "<svg y=\"50%\" overflow=\"visible\"><text transform=\"translate({left:.0} 0) rotate(-90)\" \
                 text-anchor=\"middle\">{title}</text></svg>"
            );
        }
    }

    fn bars(&mut self, trace: &Value) {
        let width = trace["width"].as_f64().unwrap_or(0.8);
        let fill = match trace["marker"]["color"].as_str() {
            Some(colour) if colour.starts_with('#') => css(colour),
            _ => "none".to_owned(),
        };
        let line = css(trace["marker"]["line"]["color"].as_str().unwrap_or("#7f7f7f"));
        for (value, place) in pairs(&trace["x"], &trace["y"]) {
            let (left, right) = (self.x.place(0.0), self.x.place(value));
            let (top, bottom) =
                (self.at(0.0, place - width / 2.0).1, self.at(0.0, place + width / 2.0).1);
            let _ = write!(
                self.geometry,
                "<path style=\"fill:{fill};stroke:{line};stroke-width:2\" d=\"M{:.1} {top:.1}H{:.1}V{bottom:.1}H{:.1}z\"/>",
                left.min(right),
                left.max(right),
                left.min(right),
            );
        }
        self.whiskers(trace, "var(--fg)");
    }

    fn points(&mut self, trace: &Value) {
        let points: Vec<(f64, f64)> = pairs(&trace["x"], &trace["y"]).collect();
        let mode = trace["mode"].as_str().unwrap_or_default();
        let colour = |of: &Value| of["color"].as_str().map(css);
        let of_line = colour(&trace["line"]).or_else(|| trace["fillcolor"].as_str().map(css));
        if mode.contains("lines") && points.len() > 1 {
            let is_area = trace["fill"] == "toself";
            let is_stepped = trace["line"]["shape"] == "vh";
            let mut path = String::new();
            for (index, (x, y)) in points.iter().enumerate() {
                let (x, y) = self.at(*x, *y);
                let _ = match (index, is_stepped) {
                    (0, _) => write!(path, "M{x:.1} {y:.1}"),
                    (_, true) => write!(path, "V{y:.1}H{x:.1}"),
                    (_, false) => write!(path, "L{x:.1} {y:.1}"),
                };
            }
            let colour = of_line.unwrap_or_default();
            let style = match is_area {
                true => format!("fill:{colour};fill-opacity:{}", trace["opacity"]),
                false => format!("stroke:{colour};stroke-width:2{}", dashes(&trace["line"])),
            };
            let _ = write!(self.geometry, "<path style=\"{style}\" d=\"{path}\"/>");
        }
        if mode.contains("markers") {
            let marker = &trace["marker"];
            let colour = colour(marker).unwrap_or_default();
            self.whiskers(trace, &colour);
            self.marks(&points, marker, &colour);
        }
    }

    /// Discs as the round ends of lines of no length, and other marks as what they are.
    fn marks(&mut self, points: &[(f64, f64)], marker: &Value, colour: &str) {
        let size = marker["size"].as_f64().unwrap_or(6.0);
        let symbol = marker["symbol"].as_str().unwrap_or("circle");
        if symbol == "circle" {
            let mut path = String::new();
            for (x, y) in points {
                let (x, y) = self.at(*x, *y);
                let _ = write!(path, "M{x:.1} {y:.1}h0");
            }
            let opacity = marker["opacity"].as_f64().unwrap_or(1.0);
            let _ = write!(
                self.geometry,
                "<path style=\"stroke:{colour};stroke-width:{size};stroke-linecap:round;stroke-opacity:{opacity}\" \
                 d=\"{path}\"/>"
            );
            return;
        }
        let (outline, hollow) = match symbol.strip_suffix("-open") {
            Some(symbol) => (outline(symbol), true),
            None => (outline(symbol), false),
        };
        let fill = if hollow { "none" } else { colour };
        for (x, y) in points {
            let (x, y) = self.at(*x, *y);
            let _ = write!(
                self.texts,
                "<svg x=\"{x:.2}%\" y=\"{y:.2}%\" overflow=\"visible\"><path transform=\"scale({:.2})\" \
                 style=\"fill:{fill};stroke:{colour}\" d=\"{outline}\"/></svg>",
                size / 10.0
            );
        }
    }

    fn whiskers(&mut self, trace: &Value, colour: &str) {
        let mut path = String::new();
        let points = || pairs(&trace["x"], &trace["y"]);
        let ends = |error: &Value| -> Vec<(f64, f64)> {
            pairs(&error["arrayminus"], &error["array"]).collect()
        };
        for ((x, y), (less, more)) in points().zip(ends(&trace["error_x"])) {
            let ((from, y), (to, _)) = (self.at(x - less, y), self.at(x + more, y));
            let _ = write!(path, "M{from:.1} {y:.1}H{to:.1}");
        }
        for ((x, y), (less, more)) in points().zip(ends(&trace["error_y"])) {
            let ((x, from), (_, to)) = (self.at(x, y - less), self.at(x, y + more));
            let _ = write!(path, "M{x:.1} {from:.1}V{to:.1}");
        }
        if !path.is_empty() {
            let _ = write!(
                self.geometry,
                "<path style=\"stroke:{colour};stroke-width:1.5\" d=\"{path}\"/>"
            );
        }
    }

    /// The fields of a heat map.
    fn fields(&mut self, trace: &Value) {
        let lines_of = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let levels: Vec<Vec<Option<f64>>> = lines_of(&trace["z"])
            .iter()
            .map(|line| lines_of(line).iter().map(Value::as_f64).collect())
            .collect();
        let end = |key: &str| trace[key].as_f64().unwrap_or_default();
        let (low, high) = (end("zmin"), end("zmax"));
        for (line, levels) in levels.iter().enumerate() {
            for (column, level) in levels.iter().enumerate() {
                let (x, y) = (column as f64, line as f64);
                if let Some(level) = level {
                    let share = if high > low { (level - low) / (high - low) } else { 0.5 };
                    let fill = between(&trace["colorscale"], share);
                    let (left, top) = self.at(x - 0.49, y - 0.48);
                    let (right, bottom) = self.at(x + 0.49, y + 0.48);
                    let _ = write!(
                        self.geometry,
                        "<path style=\"fill:{fill}\" d=\"M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}z\"/>"
                    );
                }
                let value = trace["text"][line][column].as_str().unwrap_or_default();
                let colour = if level.is_some() { " class=\"measured-field\"" } else { "" };
                let _ = write!(self.texts, "<g{colour}>");
                let middle = self.at(x, y);
                text(&mut self.texts, middle, (0.0, 4.0), "middle", &lines(value));
                let _ = write!(self.texts, "</g>");
            }
        }
    }

    fn annotation(&mut self, annotation: &Value) {
        let number = |key: &str| annotation[key].as_f64().unwrap_or_default();
        let is_paper = annotation["xref"] == "paper";
        let place = match is_paper {
            true => (100.0 * number("x"), 100.0 - 100.0 * number("y")),
            false => (
                self.x.place_of_coordinate(number("x")),
                100.0 - self.y.place_of_coordinate(number("y")),
            ),
        };
        let is_left_of_it = annotation["xanchor"] == "right";
        let anchor = if is_left_of_it { "end" } else { "start" };
        let words = annotation["text"].as_str().unwrap_or_default();
        // The names of lines, at the right end, have no room on a phone: they are in a legend there.
        let class = if is_paper && number("x") == 1.0 { " class=\"measured-wide\"" } else { "" };
        let _ = write!(self.texts, "<g{class}>");
        text(&mut self.texts, place, (number("xshift"), 4.0), anchor, &lines(words));
        let _ = write!(self.texts, "</g>");
    }
}

/// A text of some lines about a place in per cent, moved by pixels.
fn text(into: &mut String, at: (f64, f64), by: (f64, f64), anchor: &str, lines: &[String]) {
    // The middle of the lines is where one would be; below the picture, the first is.
    let up = if at.1 >= 100.0 { 0.0 } else { (lines.len() as f64 - 1.0) * LINE / 2.0 };
    for (index, line) in lines.iter().enumerate() {
        let _ = write!(
            into,
            "<text x=\"{:.2}%\" y=\"{:.2}%\" dx=\"{:.0}\" dy=\"{:.0}\" text-anchor=\"{anchor}\">{}</text>",
            at.0,
            at.1,
            by.0,
            by.1 - up + index as f64 * LINE,
            escape(line)
        );
    }
}

/// What a mark looks like about its middle, ten pixels wide.
fn outline(symbol: &str) -> &'static str {
    match symbol {
        "square" => "M-4-4H4V4H-4z",
        "diamond" => "M0-5.5L5.5 0L0 5.5L-5.5 0z",
        "triangle-up" => "M0-5.5L5 4H-5z",
        "triangle-down" => "M0 5.5L5-4H-5z",
        "star" => "M0-6L1.4-2L6-2L2.4 1L3.6 5L0 2.6L-3.6 5L-2.4 1L-6-2L-1.4-2z",
        "hexagon" => "M0-5.5L4.8-2.8V2.8L0 5.5L-4.8 2.8V-2.8z",
        "cross" => "M-1.8-5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8z",
        "x" => "M-4-5.5L0-1.8L4-5.5L5.5-4L1.8 0L5.5 4L4 5.5L0 1.8L-4 5.5L-5.5 4L-1.8 0L-5.5-4z",
        // A disc.
        _ => "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0-5 0z",
    }
}

/// Each series with its colour, for the charts that have a legend, or have one where there is no room
/// for names.
fn legend(plot: &Value) -> String {
    let always = plot["layout"]["showlegend"] == true;
    let narrow = plot["layout"]["meta"]["narrow"].is_object();
    if !always && !narrow {
        return String::new();
    }
    let class = if always { "measured-legend" } else { "measured-legend measured-narrow" };
    let entries = plot["data"].as_array().into_iter().flatten();
    let entries = entries.filter(|trace| trace["showlegend"] != false).filter_map(|trace| {
        let colour = trace["marker"]["line"]["color"].as_str();
        let colour = css(colour.or(trace["marker"]["color"].as_str())?);
        let symbol = trace["marker"]["symbol"].as_str().unwrap_or("square");
        let (symbol, is_hollow) = match symbol.strip_suffix("-open") {
            Some(symbol) => (symbol, true),
            None => (symbol, trace["marker"]["color"] == "rgba(0,0,0,0)"),
        };
        let fill = if is_hollow { "none" } else { colour.as_str() };
        let line = match trace["mode"].as_str() {
            Some(mode) if mode.contains("lines") => {
                let dashes = dashes(&trace["line"]);
                format!("<path style=\"stroke:{colour};stroke-width:2{dashes}\" d=\"M-18 0H18\"/>")
            }
            _ => String::new(),
        };
        let half = if line.is_empty() { 7 } else { 18 };
        Some(format!(
            "<span><svg width=\"{width}\" height=\"12\" viewBox=\"-{half} -6 {width} 12\">{line}\
             <path style=\"fill:{fill};stroke:{colour}\" d=\"{}\"/></svg> {}</span> ",
            outline(symbol),
            escape(trace["name"].as_str()?),
            width = 2 * half,
        ))
    });
    format!("<div class=\"{class}\">{}</div>", entries.collect::<String>())
}

/// How a line is broken, as plotly.js breaks one that is two pixels wide: CSS behind other CSS.
fn dashes(line: &Value) -> &'static str {
    match line["dash"].as_str() {
        Some("dot") => ";stroke-dasharray:3 3",
        Some("dash") => ";stroke-dasharray:9 9",
        Some("longdash") => ";stroke-dasharray:15 15",
        Some("dashdot") => ";stroke-dasharray:9 3 3 3",
        Some("longdashdot") => ";stroke-dasharray:15 6 3 6",
        _ => "",
    }
}

/// A colour as CSS, one for light themes and one for dark ones.
fn css(colour: &str) -> String {
    match Rgb::parse(colour) {
        Some(rgb) => {
            format!("light-dark({},{})", rgb.legible_on(WHITEST), rgb.legible_on(BLACKEST))
        }
        None => colour.to_owned(),
    }
}

/// A colour of a scale in three steps.
fn between(scale: &Value, share: f64) -> String {
    let step = |index: usize| -> Option<[f64; 3]> {
        let colour = scale[index][1].as_str()?;
        let inner = colour.strip_prefix("rgb(")?.strip_suffix(')')?;
        let channels: Vec<f64> = inner.split(',').filter_map(|c| c.trim().parse().ok()).collect();
        channels.try_into().ok()
    };
    let (from, along) = if share < 0.5 { (0, share * 2.0) } else { (1, share * 2.0 - 1.0) };
    match (step(from), step(from + 1)) {
        (Some(a), Some(b)) => {
            let mixed: Vec<String> =
                a.iter().zip(b).map(|(a, b)| format!("{:.0}", a + (b - a) * along)).collect();
            format!("rgb({})", mixed.join(","))
        }
        _ => "none".to_owned(),
    }
}

/// Two lists of numbers, side by side.
fn pairs<'a>(a: &'a Value, b: &'a Value) -> impl Iterator<Item = (f64, f64)> + 'a {
    let numbers = |list: &'a Value| {
        list.as_array().map(Vec::as_slice).unwrap_or_default().iter().filter_map(Value::as_f64)
    };
    numbers(a).zip(numbers(b))
}
