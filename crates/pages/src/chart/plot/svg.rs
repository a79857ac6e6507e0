//! A still picture of a scene, shown until plotly.js has loaded, or if scripts are disabled.
//!
//! Lines and areas are in an SVG of 100 by 100 units that is stretched to the available space.
//! Labels and marks are in a second SVG that isn't stretched, so that they keep their size on
//! every screen.

use language::colour::Colour;
use language::pattern;
use language::style::Symbol;

use crate::chart::{
    At, Axis, BOTTOM, LETTER, Label, Layer, Legend, Marker, Point, Role, Scene, Shape,
};
use crate::html::escape;

/// The height of a line of text, in pixels.
const LINE: f64 = 19.0;

pub(super) fn of(scene: &Scene) -> String {
    let Scene { x, y, margin: [left, right, top], .. } = scene;
    let mut picture = Picture { x, y, geometry: String::new(), texts: String::new() };
    picture.axes();
    scene.layers.iter().for_each(|layer| picture.layer(layer));
    scene.labels.iter().for_each(|label| picture.label(label, scene.legend));
    let Picture { geometry, texts, .. } = picture;
    let title = |axis: &Axis| if axis.title.is_empty() { 0.0 } else { LINE + 6.0 };
    let left = left.max(label_width(y) + 18.0 + title(y));
    let bottom = BOTTOM + label_lines(x) * LINE + 8.0 + title(x);
    format!(
        "<div class=\"measured-still\">{}<div style=\"margin:{:.0}px {right:.0}px {bottom:.0}px {left:.0}px\">\
         <svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\">{geometry}</svg><svg>{texts}</svg></div></div>",
        legend(scene),
        // The upper half of a label may extend above the picture.
        top.max(12.0),
    )
}

/// Splits a label into its lines, and removes the markup.
fn lines(text: &str) -> impl Iterator<Item = String> {
    let plain = |line| pattern!("<[^>]*>").replace_all(line, "");
    let plain =
        move |line| plain(line).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    text.split("<br>").map(plain)
}

fn label_width(axis: &Axis) -> f64 {
    let lines = axis.ticks.iter().flat_map(|(_, label)| lines(label));
    lines.map(|line| line.chars().count()).max().unwrap_or(0) as f64 * LETTER
}

fn label_lines(axis: &Axis) -> f64 {
    axis.ticks.iter().map(|(_, label)| lines(label).count()).max().unwrap_or(0) as f64
}

struct Picture<'a> {
    x: &'a Axis,
    y: &'a Axis,
    /// The elements of the SVG that is stretched to the available space: lines and areas.
    /// Coordinates are percentages of the picture.
    geometry: String,
    /// The elements of the SVG that isn't stretched: labels and marks.
    texts: String,
}

impl Picture<'_> {
    /// Returns the distances of a point from the left and from the top, in per cent of the
    /// picture.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (100.0 * self.x.place(x), 100.0 - 100.0 * self.y.place(y))
    }

    fn axes(&mut self) {
        let Picture { x, y, .. } = *self;
        let mut grid = String::new();
        for (tick, label) in &x.ticks {
            let place = 100.0 * x.place(*tick);
            self.text((place, 100.0), (0.0, 18.0), "middle", label);
            if x.has_grid {
                grid += &format!("M{place:.2} 0V100");
            }
        }
        for (tick, label) in &y.ticks {
            let place = 100.0 - 100.0 * y.place(*tick);
            self.text((0.0, place), (-6.0, 4.0), "end", label);
            if y.has_grid {
                grid += &format!("M0 {place:.2}H100");
            }
        }
        self.geometry += &format!("<path class=\"measured-grid\" d=\"{grid}\"/>");
        if !x.title.is_empty() {
            let below = 18.0 + label_lines(x) * LINE + 4.0;
            self.text((50.0, 100.0), (0.0, below), "middle", &x.title);
        }
        if !y.title.is_empty() {
            let left = -(label_width(y) + 18.0);
            self.texts += &format!(
                "<svg y=\"50%\" overflow=\"visible\"><text transform=\"translate({left:.0} 0) rotate(-90)\" \
                 text-anchor=\"middle\">{}</text></svg>",
                escape(&y.title)
            );
        }
    }

    fn layer(&mut self, layer: &Layer) {
        let colour = css(layer.colour);
        let has_line = layer.points.len() > 1;
        match &layer.shape {
            Shape::Area if has_line => {
                self.line(&layer.points, &format!("fill:{colour};fill-opacity:0.2"));
            }
            Shape::Area => {}
            Shape::Line { style, marker } => {
                if has_line {
                    let (_, dashes) = style.dashes(layer.is_own);
                    let style = format!("stroke:{colour};stroke-width:2{dashes}");
                    self.line(&layer.points, &style);
                }
                if let Some(marker) = marker {
                    self.marks(layer, marker, &colour);
                }
            }
            Shape::Markers(marker) => self.marks(layer, marker, &colour),
            Shape::Bars { width, .. } => {
                let fill = if layer.is_own { "none" } else { &colour };
                let style = format!("fill:{fill};fill-opacity:0.4;stroke:{colour};stroke-width:2");
                for Point { at: (value, place), .. } in &layer.points {
                    let (from, to) = (value.min(0.0), value.max(0.0));
                    self.rectangle(&style, (from, place - width / 2.0), (to, place + width / 2.0));
                }
                self.whiskers(layer, "var(--fg)");
            }
        }
    }

    fn path(&mut self, style: &str, path: &str) {
        self.geometry += &format!("<path style=\"{style}\" d=\"{path}\"/>");
    }

    fn rectangle(&mut self, style: &str, from: (f64, f64), to: (f64, f64)) {
        let ((left, top), (right, bottom)) = (self.at(from), self.at(to));
        self.path(style, &format!("M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}z"));
    }

    fn line(&mut self, points: &[Point], style: &str) {
        let step = |(index, point): (usize, &Point)| {
            let (x, y) = self.at(point.at);
            format!("{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' })
        };
        let path: String = points.iter().enumerate().map(step).collect();
        self.path(style, &path);
    }

    fn marks(&mut self, layer: &Layer, marker: &Marker, colour: &str) {
        self.whiskers(layer, colour);
        let size = marker.size;
        let places = layer.points.iter().map(|point| self.at(point.at));
        // A disc is drawn as a line of length zero with round ends; any other mark is drawn as a
        // path.
        if marker.symbol == Symbol::Circle && !layer.is_own {
            let path: String = places.map(|(x, y)| format!("M{x:.1} {y:.1}h0")).collect();
            let opacity = if matches!(layer.role, Some(Role::Visits(_))) { 0.35 } else { 1.0 };
            let style = format!(
                "stroke:{colour};stroke-width:{size};stroke-linecap:round;stroke-opacity:{opacity}"
            );
            self.path(&style, &path);
            return;
        }
        let mark = mark(layer, outline(marker), colour);
        let marks = places.map(|(x, y)| {
            format!(
                "<svg x=\"{x:.2}%\" y=\"{y:.2}%\" overflow=\"visible\"><path transform=\"scale({:.2})\" {mark}</svg>",
                size / 10.0
            )
        });
        self.texts += &marks.collect::<String>();
    }

    fn whiskers(&mut self, layer: &Layer, colour: &str) {
        let whisker = |point: &Point| {
            let ((x, y), (below, above)) = (point.at, point.whisker?);
            Some(if layer.is_lying {
                let ((from, y), (to, _)) = (self.at((x - below, y)), self.at((x + above, y)));
                format!("M{from:.1} {y:.1}H{to:.1}")
            } else {
                let ((x, from), (_, to)) = (self.at((x, y - below)), self.at((x, y + above)));
                format!("M{x:.1} {from:.1}V{to:.1}")
            })
        };
        let path: String = layer.points.iter().filter_map(whisker).collect();
        if !path.is_empty() {
            self.path(&format!("stroke:{colour};stroke-width:2"), &path);
        }
    }

    fn label(&mut self, label: &Label, legend: Legend) {
        let at = match label.at {
            At::Picture(x, y) => (100.0 * x, 100.0 - 100.0 * y),
            At::Axes(x, y) => self.at((x, y)),
        };
        let anchor = if label.shift < 0.0 { "end" } else { "start" };
        // A phone has no room for the names of lines, and shows a legend instead.
        let class = if legend == Legend::WhereNarrow { " class=\"measured-wide\"" } else { "" };
        self.texts += &format!("<g{class}>");
        self.text(at, (label.shift, 4.0), anchor, &label.text);
        self.texts += "</g>";
    }

    /// Adds a label of one or more lines. Its position is `at`, in per cent of the picture, plus
    /// an offset of `by` pixels.
    fn text(&mut self, at: (f64, f64), by: (f64, f64), anchor: &str, text: &str) {
        let lines: Vec<String> = lines(text).collect();
        // A label is centred vertically on its position, except below the picture, where its
        // first line is at the position.
        let up = if at.1 >= 100.0 { 0.0 } else { (lines.len() as f64 - 1.0) * LINE / 2.0 };
        for (index, line) in lines.iter().enumerate() {
            self.texts += &format!(
                "<text x=\"{:.2}%\" y=\"{:.2}%\" dx=\"{:.0}\" dy=\"{:.0}\" text-anchor=\"{anchor}\">{}</text>",
                at.0,
                at.1,
                by.0,
                by.1 - up + index as f64 * LINE,
                escape(line)
            );
        }
    }
}

/// Returns the SVG path of a mark's outline, ten pixels wide.
fn outline(marker: &Marker) -> &'static str {
    marker.symbol.look()[4]
}

/// Returns the end of a `<path>` element that draws a mark.
fn mark(layer: &Layer, outline: &str, colour: &str) -> String {
    let fill = if layer.is_own { "none" } else { colour };
    format!("style=\"fill:{fill};stroke:{colour}\" d=\"{outline}\"/>")
}

/// Returns a legend with the colour of each series, or nothing if the chart has no legend. Some
/// charts show it only on screens without room for the names of lines.
fn legend(scene: &Scene) -> String {
    let class = match scene.legend {
        Legend::Never => return String::new(),
        Legend::Always => "measured-legend",
        Legend::WhereNarrow => "measured-legend measured-narrow",
    };
    let entries = scene.layers.iter().filter_map(|layer| {
        let (name, _) = layer.series.as_ref().filter(|(_, is_in_legend)| *is_in_legend)?;
        let colour = css(layer.colour);
        let (half, line, outline) = match &layer.shape {
            Shape::Line { style, marker, .. } => {
                let (_, dashes) = style.dashes(layer.is_own);
                let line = format!(
                    "<path style=\"stroke:{colour};stroke-width:2{dashes}\" d=\"M-18 0H18\"/>"
                );
                (18, line, marker.as_ref().map(outline))
            }
            Shape::Markers(marker) => (7, String::new(), Some(outline(marker))),
            Shape::Bars { .. } => (7, String::new(), Some(Symbol::Square.look()[4])),
            Shape::Area => return None,
        };
        let mark = outline.map(|outline| format!("<path {}", mark(layer, outline, &colour)));
        Some(format!(
            "<span><svg width=\"{width}\" height=\"12\" viewBox=\"-{half} -6 {width} 12\">{line}{}\
             </svg> {}</span> ",
            mark.unwrap_or_default(),
            escape(name),
            width = 2 * half,
        ))
    });
    let title = match &*scene.legend_title {
        "" => String::new(),
        title => format!("<span>{}</span> ", escape(title)),
    };
    format!("<div class=\"{class}\">{title}{}</div>", entries.collect::<String>())
}

/// Returns a CSS colour that depends on whether the reader's theme is light or dark.
fn css(Colour { light, dark, .. }: Colour) -> String {
    format!("light-dark({light},{dark})")
}
