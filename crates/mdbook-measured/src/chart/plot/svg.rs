//! A still picture of a scene: what is seen until plotly.js has come, and where no script runs.
//!
//! Its geometry stands in a picture of 100 by 100 that is stretched to the place it has, its texts and
//! marks beside that in one that is not, so that they keep their size on every screen.

use std::fmt::Write as _;

use crate::chart::colour::{BLACKEST, Rgb, WHITEST};
use crate::chart::scene::{
    At, Axis, Bar, Colour, Fields, FigureAxis, Label, LabelSide, Layer, Legend, Marker,
    MarkerSymbol, NOT_MEASURED, PlotArea, Scene, Shape, Stroke, StyledText,
};
use crate::chart::style::{LineStyle, Symbol};
use crate::html::escape;

/// How wide a letter is, in pixels, nearly; and how high a line.
const LETTER: f64 = 7.2;
const LINE: f64 = 19.0;

/// A still picture, as HTML.
pub(super) fn of(scene: &Scene) -> String {
    let Scene { x, y, margin, .. } = scene;
    let mut picture = Picture { x, y, geometry: String::new(), texts: String::new() };
    picture.axes();
    match &scene.content {
        PlotArea::Layers(layers) => layers.iter().for_each(|layer| picture.layer(layer)),
        PlotArea::Fields(fields) => picture.fields(fields),
    }
    for label in &scene.labels {
        picture.label(label, scene.legend);
    }
    let Picture { geometry, texts, .. } = picture;
    let title = |axis: &Axis| if axis.title.is_empty() { 0.0 } else { LINE + 6.0 };
    let left = margin.left.max(label_width(y) + 18.0 + title(y));
    let bottom = margin.bottom + label_lines(x) * LINE + 8.0 + title(x);
    format!(
        "<div class=\"measured-still\">{}<div style=\"margin:{:.0}px {:.0}px {bottom:.0}px {left:.0}px\">\
         <svg viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\">{geometry}</svg><svg>{texts}</svg></div></div>",
        legend(scene),
        // Half a label may stand above the picture.
        margin.top.max(12.0),
        margin.right,
    )
}

/// How wide the widest label is, in pixels.
fn label_width(axis: &Axis) -> f64 {
    let lines = axis.ticks.iter().flat_map(|(_, label)| label.lines());
    lines.map(|line| line.chars().count()).max().unwrap_or(0) as f64 * LETTER
}

/// How many lines the longest label has.
fn label_lines(axis: &Axis) -> f64 {
    axis.ticks.iter().map(|(_, label)| label.0.len()).max().unwrap_or(0) as f64
}

struct Picture<'a> {
    x: &'a Axis,
    y: &'a Axis,
    /// In per cent of the picture, which is stretched.
    geometry: String,
    /// What is not stretched.
    texts: String,
}

impl Picture<'_> {
    /// From the left and from the top, in per cent.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (100.0 * self.x.place(x), 100.0 - 100.0 * self.y.place(y))
    }

    fn axes(&mut self) {
        let mut grid = String::new();
        for (tick, label) in &self.x.ticks {
            let place = 100.0 * self.x.place(*tick);
            text(&mut self.texts, (place, 100.0), (0.0, 18.0), "middle", label);
            if self.x.has_grid {
                let _ = write!(grid, "M{place:.2} 0V100");
            }
        }
        for (tick, label) in &self.y.ticks {
            let place = 100.0 - 100.0 * self.y.place(*tick);
            text(&mut self.texts, (0.0, place), (-6.0, 4.0), "end", label);
            if self.y.has_grid {
                let _ = write!(grid, "M0 {place:.2}H100");
            }
        }
        let _ = write!(self.geometry, "<path class=\"measured-grid\" d=\"{grid}\"/>");
        let below = 18.0 + label_lines(self.x) * LINE + 4.0;
        if !self.x.title.is_empty() {
            let title = StyledText::plain(&self.x.title);
            text(&mut self.texts, (50.0, 100.0), (0.0, below), "middle", &title);
        }
        if !self.y.title.is_empty() {
            let left = -(label_width(self.y) + 18.0);
            let title = escape(&self.y.title);
            let _ = write!(
                self.texts,
                "<svg y=\"50%\" overflow=\"visible\"><text transform=\"translate({left:.0} 0) rotate(-90)\" \
                 text-anchor=\"middle\">{title}</text></svg>"
            );
        }
    }

    fn layer(&mut self, layer: &Layer) {
        match &layer.shape {
            Shape::Area(colour) if layer.points.len() > 1 => {
                let style = format!("fill:{};fill-opacity:0.2", css(*colour));
                self.line(&layer.points, &style, false);
            }
            Shape::Area(_) => {}
            Shape::Line(stroke, mark) => {
                if layer.points.len() > 1 {
                    let (colour, dashes) = (css(stroke.colour), dashes(stroke));
                    let style = format!("stroke:{colour};stroke-width:2{dashes}");
                    self.line(&layer.points, &style, stroke.is_stepped);
                }
                if let Some(mark) = mark {
                    self.marks(layer, mark);
                }
            }
            Shape::Markers(mark) => self.marks(layer, mark),
            Shape::Bars(bar) => self.bars(layer, bar),
        }
    }

    fn line(&mut self, points: &[(f64, f64)], style: &str, is_stepped: bool) {
        let mut path = String::new();
        for (index, point) in points.iter().enumerate() {
            let (x, y) = self.at(*point);
            let _ = match (index, is_stepped) {
                (0, _) => write!(path, "M{x:.1} {y:.1}"),
                (_, true) => write!(path, "V{y:.1}H{x:.1}"),
                (_, false) => write!(path, "L{x:.1} {y:.1}"),
            };
        }
        let _ = write!(self.geometry, "<path style=\"{style}\" d=\"{path}\"/>");
    }

    fn bars(&mut self, layer: &Layer, bar: &Bar) {
        let line = css(bar.colour);
        let fill = if bar.is_hollow { "none" } else { line.as_str() };
        for (value, place) in &layer.points {
            let (left, top) = self.at((0.0, place - bar.width / 2.0));
            let (right, bottom) = self.at((*value, place + bar.width / 2.0));
            let (left, right) = (left.min(right), left.max(right));
            let _ = write!(
                self.geometry,
                "<path style=\"fill:{fill};stroke:{line};stroke-width:2\" d=\"M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}z\"/>",
            );
        }
        self.whiskers(layer, "var(--fg)");
    }

    fn marks(&mut self, layer: &Layer, mark: &Marker) {
        let colour = css(mark.colour);
        self.whiskers(layer, &colour);
        let size = mark.size;
        // Discs as the round ends of lines of no length, and other marks as what they are.
        if mark.symbol == MarkerSymbol::Full(Symbol::Circle) {
            let mut path = String::new();
            for point in &layer.points {
                let (x, y) = self.at(*point);
                let _ = write!(path, "M{x:.1} {y:.1}h0");
            }
            let opacity = if mark.is_faint { 0.35 } else { 1.0 };
            let _ = write!(
                self.geometry,
                "<path style=\"stroke:{colour};stroke-width:{size};stroke-linecap:round;stroke-opacity:{opacity}\" \
                 d=\"{path}\"/>"
            );
            return;
        }
        let (outline, is_hollow) = outline(mark.symbol);
        let fill = if is_hollow { "none" } else { &colour };
        for point in &layer.points {
            let (x, y) = self.at(*point);
            let _ = write!(
                self.texts,
                "<svg x=\"{x:.2}%\" y=\"{y:.2}%\" overflow=\"visible\"><path transform=\"scale({:.2})\" \
                 style=\"fill:{fill};stroke:{colour}\" d=\"{outline}\"/></svg>",
                size / 10.0
            );
        }
    }

    fn whiskers(&mut self, layer: &Layer, colour: &str) {
        let mut path = String::new();
        for ((x, y), (below, above)) in layer.points.iter().zip(&layer.whiskers) {
            let _ = match layer.figures {
                FigureAxis::X => {
                    let ((from, y), (to, _)) = (self.at((x - below, *y)), self.at((x + above, *y)));
                    write!(path, "M{from:.1} {y:.1}H{to:.1}")
                }
                FigureAxis::Y => {
                    let ((x, from), (_, to)) = (self.at((*x, y - below)), self.at((*x, y + above)));
                    write!(path, "M{x:.1} {from:.1}V{to:.1}")
                }
            };
        }
        if !path.is_empty() {
            let _ = write!(
                self.geometry,
                "<path style=\"stroke:{colour};stroke-width:1.5\" d=\"{path}\"/>"
            );
        }
    }

    /// The fields of a heat map.
    fn fields(&mut self, fields: &Fields) {
        let (low, high) = fields.levels;
        for (line, of_line) in fields.lines.iter().enumerate() {
            for (column, field) in of_line.iter().enumerate() {
                let (x, y) = (column as f64, line as f64);
                if let Some(field) = field {
                    let share = if high > low { (field.level - low) / (high - low) } else { 0.5 };
                    let fill = between(fields.colours, share);
                    let (left, top) = self.at((x - 0.49, y - 0.48));
                    let (right, bottom) = self.at((x + 0.49, y + 0.48));
                    let _ = write!(
                        self.geometry,
                        "<path style=\"fill:{fill}\" d=\"M{left:.1} {top:.1}H{right:.1}V{bottom:.1}H{left:.1}z\"/>"
                    );
                }
                let colour = if field.is_some() { " class=\"measured-field\"" } else { "" };
                let _ = write!(self.texts, "<g{colour}>");
                let not_measured = StyledText::plain(NOT_MEASURED);
                let words = field.as_ref().map_or(&not_measured, |field| &field.text);
                let middle = self.at((x, y));
                text(&mut self.texts, middle, (0.0, 4.0), "middle", words);
                let _ = write!(self.texts, "</g>");
            }
        }
    }

    fn label(&mut self, label: &Label, legend: Legend) {
        let at = match label.at {
            At::Picture(x, y) => (100.0 * x, 100.0 - 100.0 * y),
            At::Axes(x, y) => self.at((x, y)),
        };
        let (anchor, shift) = match label.side {
            LabelSide::Left => ("end", -label.gap),
            LabelSide::Right => ("start", label.gap),
        };
        // Names that have no room on a phone are in a legend there.
        let class = if legend == Legend::WhereNarrow { " class=\"measured-wide\"" } else { "" };
        let _ = write!(self.texts, "<g{class}>");
        text(&mut self.texts, at, (shift, 4.0), anchor, &label.text);
        let _ = write!(self.texts, "</g>");
    }
}

/// A text of some lines about a place in per cent, moved by pixels.
fn text(into: &mut String, at: (f64, f64), by: (f64, f64), anchor: &str, lines: &StyledText) {
    let lines = lines.lines();
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

/// What a mark looks like about its middle, ten pixels wide, and whether it is hollow.
fn outline(symbol: MarkerSymbol) -> (&'static str, bool) {
    let (symbol, is_hollow) = match symbol {
        MarkerSymbol::Full(symbol) => (symbol, false),
        MarkerSymbol::Hollow(symbol) => (symbol, true),
        MarkerSymbol::SecondMode => {
            let cross =
                "M-4-5.5L0-1.8L4-5.5L5.5-4L1.8 0L5.5 4L4 5.5L0 1.8L-4 5.5L-5.5 4L-1.8 0L-5.5-4z";
            return (cross, false);
        }
    };
    let outline = match symbol {
        Symbol::Circle => "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0-5 0z",
        Symbol::Square => SQUARE,
        Symbol::Diamond => "M0-5.5L5.5 0L0 5.5L-5.5 0z",
        Symbol::TriangleUp => "M0-5.5L5 4H-5z",
        Symbol::TriangleDown => "M0 5.5L5-4H-5z",
        Symbol::Star => "M0-6L1.4-2L6-2L2.4 1L3.6 5L0 2.6L-3.6 5L-2.4 1L-6-2L-1.4-2z",
        Symbol::Hexagon => "M0-5.5L4.8-2.8V2.8L0 5.5L-4.8 2.8V-2.8z",
        Symbol::Cross => "M-1.8-5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8z",
    };
    (outline, is_hollow)
}

const SQUARE: &str = "M-4-4H4V4H-4z";

/// Each series with its colour, for the charts that have a legend, or have one where there is no room
/// for names.
fn legend(scene: &Scene) -> String {
    let class = match scene.legend {
        Legend::Never => return String::new(),
        Legend::Always => "measured-legend",
        Legend::WhereNarrow => "measured-legend measured-narrow",
    };
    let PlotArea::Layers(layers) = &scene.content else { return String::new() };
    let entries = layers.iter().filter_map(|layer| {
        let series = layer.series.as_ref().filter(|series| series.is_in_legend)?;
        let (colour, mark, line) = match &layer.shape {
            Shape::Line(stroke, mark) => {
                let (colour, dashes) = (css(stroke.colour), dashes(stroke));
                let line = format!(
                    "<path style=\"stroke:{colour};stroke-width:2{dashes}\" d=\"M-18 0H18\"/>"
                );
                (colour, mark.as_ref().map(|mark| outline(mark.symbol)), line)
            }
            Shape::Markers(mark) => (css(mark.colour), Some(outline(mark.symbol)), String::new()),
            Shape::Bars(bar) => (css(bar.colour), Some((SQUARE, bar.is_hollow)), String::new()),
            Shape::Area(_) => return None,
        };
        let mark = mark.map_or(String::new(), |(outline, is_hollow)| {
            let fill = if is_hollow { "none" } else { &colour };
            format!("<path style=\"fill:{fill};stroke:{colour}\" d=\"{outline}\"/>")
        });
        let half = if line.is_empty() { 7 } else { 18 };
        Some(format!(
            "<span><svg width=\"{width}\" height=\"12\" viewBox=\"-{half} -6 {width} 12\">{line}{mark}\
             </svg> {}</span> ",
            escape(&series.name),
            width = 2 * half,
        ))
    });
    format!("<div class=\"{class}\">{}</div>", entries.collect::<String>())
}

/// How a line is broken, as plotly.js breaks one that is two pixels wide: CSS behind other CSS.
fn dashes(stroke: &Stroke) -> &'static str {
    match (stroke.line, stroke.is_own) {
        (LineStyle::Solid, false) => "",
        (LineStyle::Solid, true) => ";stroke-dasharray:9 9",
        (LineStyle::Dotted, false) => ";stroke-dasharray:3 3",
        (LineStyle::Dotted, true) => ";stroke-dasharray:9 3 3 3",
        (LineStyle::Dashed, false) => ";stroke-dasharray:15 15",
        (LineStyle::Dashed, true) => ";stroke-dasharray:15 6 3 6",
    }
}

/// A colour as CSS, one for light themes and one for dark ones.
fn css(colour: Colour) -> String {
    match colour {
        Colour::Meaning(rgb) => {
            format!("light-dark({},{})", rgb.legible_on(WHITEST), rgb.legible_on(BLACKEST))
        }
        Colour::White => "#ffffff".to_owned(),
    }
}

/// A colour of a scale in three steps.
fn between(scale: [Rgb; 3], share: f64) -> String {
    let (from, along) = if share < 0.5 { (0, share * 2.0) } else { (1, share * 2.0 - 1.0) };
    let steps = scale[from].0.into_iter().zip(scale[from + 1].0);
    let mixed: Vec<String> = steps.map(|(a, b)| format!("{:.0}", a + (b - a) * along)).collect();
    format!("rgb({})", mixed.join(","))
}
