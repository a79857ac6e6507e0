//! Pictures for plotly.js, through mdbook-plotly, mended. This is the only file that knows plotly's JSON.
//!
//! mdbook-plotly 0.3.0 reads a description of a plot and gives plotly.js its data. It drops what it
//! does not know without a word, serialises colours wrongly, and cannot say error bars, dashes, text
//! on axes or ids. So a description is checked first for what would be dropped; what mdbook-plotly
//! cannot say stands under `extra`, in plotly.js's own words, and is merged into its result.

use mdbook_plotly::code_handler::plot_obj_parser;
use mdbook_plotly::preprocessor::config::MapEvalConfig;
use measurement::LineError;
use serde_json::{Map, Value, json};

use crate::chart::colour::Rgb;
use crate::chart::scene::{
    At, Axis, Bar, Colour, Field, Fields, FigureAxis, Label, LabelSide, Layer, Legend, Look,
    Margin, Marker, MarkerSymbol, NOT_MEASURED, PlotArea, Role, RowTooltip, Scene, Shape, Stroke,
    StyledPiece, StyledText,
};
use crate::chart::style::{LineStyle, Symbol};

/// What plotly.js draws of a scene: `data`, `layout` and `config`.
///
/// # Errors
///
/// In words, if mdbook-plotly refuses it.
pub(super) fn of(scene: &Scene) -> Result<Value, String> {
    let (traces, extras): (Vec<Value>, Vec<Value>) = match &scene.content {
        PlotArea::Layers(layers) => layers.iter().map(trace).unzip(),
        PlotArea::Fields(fields) => [heat_map(fields)].into_iter().unzip(),
    };
    let ((x, x_extra), (y, y_extra)) = (axis(&scene.x), axis(&scene.y));
    let labels: Vec<Value> =
        scene.labels.iter().map(|label| annotation(label, &scene.x, &scene.y)).collect();
    let mut meta = json!({"chapter": scene.origin.chapter, "divisor": scene.origin.divisor});
    if scene.legend == Legend::WhereNarrow {
        // What measured.js puts in its place where there is no room for names.
        let margin = margin(Margin { right: 16.0, ..scene.margin });
        meta["narrow"] = json!({"showlegend": true, "annotations": [], "margin": margin});
    }
    render(json!({
        "data": traces,
        "layout": {"xaxis": x, "yaxis": y, "show_legend": scene.legend == Legend::Always},
        "extra": {
            "data": extras,
            "layout": {
                "xaxis": x_extra,
                "yaxis": y_extra,
                "barmode": "overlay",
                // Above the picture.
                "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
                "annotations": labels,
                "margin": margin(scene.margin),
                "font": {"size": 13},
                "meta": meta,
            },
            "config": {"displayModeBar": false, "responsive": true},
        },
    }))
}

/// An axis in mdbook-plotly's words, and what it has no words for in plotly.js's.
fn axis(axis: &Axis) -> (Value, Value) {
    let mut words = json!({"title": axis.title});
    if axis.is_log {
        words["type"] = json!("log");
    }
    let (ticks, labels): (Vec<f64>, Vec<String>) =
        axis.ticks.iter().map(|(tick, label)| (*tick, html(label))).unzip();
    let mut extra = json!({
        "tickvals": ticks,
        "ticktext": labels,
        "tickangle": 0,
        "range": [axis.coordinate(axis.ends.0), axis.coordinate(axis.ends.1)],
        "automargin": true,
        "zeroline": axis.has_zero_line,
    });
    if axis.has_grid {
        extra["title"] = json!({"font": {"size": 13}});
    } else {
        extra["showgrid"] = json!(false);
    }
    (words, extra)
}

fn margin(margin: Margin) -> Value {
    let Margin { left, right, top, bottom } = margin;
    json!({"l": left, "r": right, "t": top, "b": bottom})
}

fn annotation(label: &Label, x: &Axis, y: &Axis) -> Value {
    let (anchor, shift) = match label.side {
        LabelSide::Left => ("right", -label.gap),
        LabelSide::Right => ("left", label.gap),
    };
    let mut annotation = json!({
        "text": html(&label.text),
        "showarrow": false,
        "xanchor": anchor,
        "xshift": shift,
        "yanchor": if label.is_above { "bottom" } else { "middle" },
    });
    let (at_x, at_y) = match label.at {
        At::Picture(x, y) => {
            annotation["xref"] = json!("paper");
            annotation["yref"] = json!("paper");
            (x, y)
        }
        At::Axes(at_x, at_y) => (x.coordinate(at_x), y.coordinate(at_y)),
    };
    annotation["x"] = json!(at_x);
    annotation["y"] = json!(at_y);
    annotation
}

/// A layer in mdbook-plotly's words, and what it has no words for in plotly.js's.
fn trace(layer: &Layer) -> (Value, Value) {
    let (x, y): (Vec<f64>, Vec<f64>) = layer.points.iter().copied().unzip();
    let mut words = json!({"x": x, "y": y});
    let mut meta = json!({"machine": layer.machine});
    match &layer.role {
        Role::Band => meta["role"] = json!("band"),
        Role::Distances => meta["role"] = json!("distances"),
        Role::Formula => meta["role"] = json!("formula"),
        Role::Rug => meta["role"] = json!("rug"),
        role => {
            let (letter, _) = letters(layer.figures);
            meta["value"] = json!(letter);
            match role {
                Role::SecondMode => meta["role"] = json!("second mode"),
                Role::Visits(row) => {
                    meta["role"] = json!("visits");
                    meta["row"] = json!(row);
                }
                _ => {}
            }
        }
    }
    let mut extra = json!({"meta": meta});
    if let Some(series) = &layer.series {
        words["name"] = json!(series.name);
        words["show_legend"] = json!(series.is_in_legend);
        extra["legendgroup"] = json!(series.name);
    }
    if !layer.whiskers.is_empty() {
        let (below, above): (Vec<f64>, Vec<f64>) = layer.whiskers.iter().copied().unzip();
        let (_, error) = letters(layer.figures);
        extra[error] = json!({
            "type": "data",
            "symmetric": false,
            "array": above,
            "arrayminus": below,
            "thickness": 1.5,
            "width": 4,
        });
    }
    if layer.rows.is_empty() {
        extra["hoverinfo"] = json!("skip");
    } else {
        let of =
            |of: fn(&RowTooltip) -> Value| -> Vec<Value> { layer.rows.iter().map(of).collect() };
        extra["ids"] = json!(of(|row| json!(row.id)));
        extra["customdata"] = json!(of(|row| json!(in_lines(&row.words))));
        extra["hovertemplate"] = json!(POINTED_AT);
    }
    words["type"] = json!("scatter");
    match &layer.shape {
        Shape::Area(within) => {
            words["mode"] = json!("lines");
            extra["fill"] = json!("toself");
            extra["fillcolor"] = colour(*within);
            extra["opacity"] = json!(0.2);
            extra["line"] = json!({"width": 0});
        }
        Shape::Line(stroke, mark) => {
            words["mode"] = json!(if mark.is_some() { "linesmarkers" } else { "lines" });
            extra["line"] = line(stroke);
            if let Some(mark) = mark {
                extra["marker"] = marker(mark);
            }
        }
        Shape::Markers(mark) => {
            words["mode"] = json!("markers");
            extra["marker"] = marker(mark);
        }
        Shape::Bars(bar) => {
            words["type"] = json!("bar");
            extra["orientation"] = json!("h");
            extra["width"] = json!(bar.width);
            extra["marker"] = filling(bar);
        }
    }
    (words, extra)
}

/// What is shown of a point that is pointed at: its `customdata`, without a second box.
const POINTED_AT: &str = "%{customdata}<extra></extra>";

/// The names of the values on an axis, and of their whiskers.
fn letters(direction: FigureAxis) -> (&'static str, &'static str) {
    match direction {
        FigureAxis::X => ("x", "error_x"),
        FigureAxis::Y => ("y", "error_y"),
    }
}

fn line(stroke: &Stroke) -> Value {
    let dash = match (stroke.line, stroke.is_own) {
        (LineStyle::Solid, false) => "solid",
        (LineStyle::Solid, true) => "dash",
        (LineStyle::Dotted, false) => "dot",
        (LineStyle::Dotted, true) => "dashdot",
        (LineStyle::Dashed, false) => "longdash",
        (LineStyle::Dashed, true) => "longdashdot",
    };
    let mut line = json!({"color": colour(stroke.colour), "dash": dash, "width": 2});
    if stroke.is_stepped {
        line["shape"] = json!("vh");
    }
    line
}

fn marker(mark: &Marker) -> Value {
    let symbol = match mark.symbol {
        MarkerSymbol::Full(symbol) => name(symbol).to_owned(),
        MarkerSymbol::Hollow(symbol) => format!("{}-open", name(symbol)),
        MarkerSymbol::SecondMode => "x".to_owned(),
    };
    let mut marker = json!({"color": colour(mark.colour), "symbol": symbol, "size": mark.size});
    if mark.is_faint {
        marker["opacity"] = json!(FAINT);
    }
    if let Some((around, width)) = mark.outline {
        marker["line"] = json!({"color": colour(around), "width": width});
    }
    marker
}

/// The opacity of marks that are many.
const FAINT: f64 = 0.35;

fn name(symbol: Symbol) -> &'static str {
    match symbol {
        Symbol::Circle => "circle",
        Symbol::Square => "square",
        Symbol::Diamond => "diamond",
        Symbol::TriangleUp => "triangle-up",
        Symbol::TriangleDown => "triangle-down",
        Symbol::Star => "star",
        Symbol::Hexagon => "hexagon",
        Symbol::Cross => "cross",
    }
}

/// The inside of a bar, and its edge.
fn filling(bar: &Bar) -> Value {
    let edge = colour(bar.colour);
    let (inside, hatching, opacity) = if bar.is_hollow {
        (json!("rgba(0,0,0,0)"), edge.clone(), 1.0)
    } else {
        (edge.clone(), colour(Colour::White), 0.5)
    };
    let pattern = match bar.hatching {
        None | Some(Symbol::Circle) => "",
        Some(Symbol::Square) => "/",
        Some(Symbol::Diamond) => "x",
        Some(Symbol::TriangleUp) => "-",
        Some(Symbol::TriangleDown) => "|",
        Some(Symbol::Star) => ".",
        Some(Symbol::Hexagon) => "\\",
        Some(Symbol::Cross) => "+",
    };
    json!({
        "color": inside,
        "line": {"color": edge, "width": 2},
        "pattern": {
            "shape": pattern,
            "fillmode": "overlay",
            "fgcolor": hatching,
            "fgopacity": opacity,
            "size": 7,
        },
    })
}

/// Fields in mdbook-plotly's words, and what it has no words for in plotly.js's.
fn heat_map(fields: &Fields) -> (Value, Value) {
    let matrix = |value: &dyn Fn(&Option<Field>) -> Value| -> Value {
        fields.lines.iter().map(|line| line.iter().map(value).collect::<Value>()).collect()
    };
    let (least, most) = fields.levels;
    let words = json!({
        "type": "heatmap",
        "z": matrix(&|field| json!(field.as_ref().map_or(0.0, |field| field.level))),
        "show_scale": false,
        "zmin": least,
        "zmax": most,
    });
    let [low, middle, high] = fields.colours.map(fixed);
    let extra = json!({
        // A field that was not measured stays empty.
        "z": matrix(&|field| json!(field.as_ref().map(|field| field.level))),
        "ids": matrix(&|field| json!(field.as_ref().map(|field| &field.row.id))),
        "meta": {"machine": fields.machine, "value": "z"},
        "text": matrix(&|field| {
            json!(field.as_ref().map_or(NOT_MEASURED.to_owned(), |field| html(&field.text)))
        }),
        "texttemplate": "%{text}",
        "textfont": {"color": "rgb(0,0,0)", "size": 13},
        "colorscale": [[0, low], [0.5, middle], [1, high]],
        "xgap": 2,
        "ygap": 2,
        "customdata": matrix(&|field| json!(field.as_ref().map(|field| in_lines(&field.row.words)))),
        "hovertemplate": POINTED_AT,
    });
    (words, extra)
}

/// A text as plotly.js reads it, which knows some of HTML.
fn html(text: &StyledText) -> String {
    let piece = |piece: &StyledPiece| match piece.look {
        Look::Plain => piece.text.clone(),
        Look::Bold => format!("<b>{}</b>", piece.text),
        Look::Italic => format!("<i>{}</i>", piece.text),
        Look::In(Colour::Meaning(rgb)) => {
            format!("<span style='color:{rgb}'>{}</span>", piece.text)
        }
        Look::In(Colour::White) => format!("<span style='color:white'>{}</span>", piece.text),
    };
    let lines = text.0.iter().map(|line| line.iter().map(piece).collect::<String>());
    lines.collect::<Vec<_>>().join("<br>")
}

fn in_lines(text: &str) -> String {
    text.replace('\n', "<br>")
}

/// A colour. measured.js makes those that are written in hexadecimal stand out in the reader's theme.
fn colour(colour: Colour) -> Value {
    match colour {
        Colour::Meaning(rgb) => json!(rgb.to_string()),
        Colour::White => json!(fixed(Rgb::of(0xffffff))),
    }
}

/// A colour that measured.js leaves as it is.
fn fixed(Rgb([r, g, b]): Rgb) -> String {
    format!("rgb({r},{g},{b})")
}

/// What plotly.js draws of a hand-written plot: JSON in mdbook-plotly's words.
///
/// # Errors
///
/// With the line within the block.
pub(super) fn parse(block: &str) -> Result<Value, LineError> {
    let lines = block.lines().count().max(1);
    let plot: Value = serde_json::from_str(block).map_err(|error| {
        LineError::new(error.line().clamp(1, lines), format!("not JSON: {error}"))
    })?;
    render(plot).map_err(|message| LineError::new(1, message))
}

/// What plotly.js draws of a description: `data`, `layout` and `config`.
fn render(mut plot: Value) -> Result<Value, String> {
    let extra = plot.as_object_mut().and_then(|plot| plot.remove("extra")).unwrap_or(Value::Null);
    check_traces(&plot)?;
    let rendered = plot_obj_parser::parse(&mut plot, &MapEvalConfig::default())
        .map_err(|error| format!("mdbook-plotly cannot read the plot: {error:#}"))?;
    // It takes what it understands out of the description, so what is left was not understood.
    let mut ignored = Vec::new();
    leftovers(&plot, "", &mut ignored);
    if !ignored.is_empty() {
        let ignored = ignored.join(", ");
        return Err(format!(
            "mdbook-plotly would drop {ignored}: put it under `extra`, in plotly.js's words"
        ));
    }
    let mut rendered = serde_json::to_value(rendered).map_err(|error| error.to_string())?;
    mend_colours(&mut rendered);
    if let Some(rendered) = rendered.as_object_mut() {
        rendered.remove("frames");
    }
    merge(&mut rendered, extra);
    Ok(rendered)
}

fn check_traces(plot: &Value) -> Result<(), String> {
    let traces = plot.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if traces.is_empty() {
        return Err("the plot has no `data`: a list of traces".to_owned());
    }
    for (index, trace) in traces.iter().enumerate() {
        let length = |key: &str| trace.get(key).and_then(Value::as_array).map(Vec::len);
        match (length("x"), length("y")) {
            (Some(0), _) | (_, Some(0)) => return Err(format!("trace {index} is empty")),
            (Some(x), Some(y)) if x != y => {
                return Err(format!("trace {index} has {x} values of x and {y} of y"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn leftovers(value: &Value, path: &str, ignored: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Object(object) => {
            for (key, value) in object.iter().filter(|(key, _)| *key != "type") {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leftovers(value, &path, ignored);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                leftovers(value, &format!("{path}[{index}]"), ignored);
            }
        }
        _ => ignored.push(format!("`{path}`")),
    }
}

/// `{"rgb_color": "rgb(0, 0, 0)"}` is to be `"rgb(0, 0, 0)"`.
fn mend_colours(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(colour) = unwrapped(object) {
                *value = colour;
                return;
            }
            object.values_mut().for_each(mend_colours);
        }
        Value::Array(values) => values.iter_mut().for_each(mend_colours),
        _ => {}
    }
}

fn unwrapped(object: &mut Map<String, Value>) -> Option<Value> {
    let wrapped = ["named_color", "rgb_color", "rgba_color"];
    let key = wrapped.into_iter().find(|key| object.len() == 1 && object.contains_key(*key))?;
    object.remove(key)
}

/// Merges objects by key and lists by place; anything else is replaced.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (_, Value::Null) => {}
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(from)) if into.iter().any(Value::is_object) => {
            for (index, value) in from.into_iter().enumerate() {
                match into.get_mut(index) {
                    Some(place) => merge(place, value),
                    None => into.push(value),
                }
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_dropped_is_refused() {
        let plot =
            json!({"data": [{"type": "scatter", "x": [1], "y": [2], "line": {"dash": "dot"}}]});
        let error = render(plot).unwrap_err();
        assert!(error.contains("`data[0].line.dash`"), "{error}");
    }

    #[test]
    fn extra_is_merged_into_what_mdbook_plotly_gives() {
        let plot = json!({
            "data": [{"type": "scatter", "x": [1], "y": [2], "name": "a"}],
            "layout": {"xaxis": {"type": "log"}},
            "extra": {"data": [{"line": {"dash": "dot"}}], "layout": {"xaxis": {"dtick": 1}}},
        });
        let rendered = render(plot).unwrap();
        assert_eq!(rendered["data"][0]["name"], "a");
        assert_eq!(rendered["data"][0]["line"]["dash"], "dot");
        assert_eq!(rendered["layout"]["xaxis"], json!({"type": "log", "dtick": 1}));
    }

    #[test]
    fn colours_are_mended() {
        let plot = json!({
            "data": [{"type": "scatter", "x": [1], "y": [2], "marker": {"color": "#0072b2"}}],
        });
        assert_eq!(render(plot).unwrap()["data"][0]["marker"]["color"], "rgb(0, 114, 178)");
    }

    #[test]
    fn malformed_plots_are_refused() {
        for bad in [
            r#"{"data": []}"#,
            r#"{"data": [{"type": "scatter", "x": [1, 2], "y": [1]}]}"#,
            r#"{"data": [{"type": "scatter", "x": [], "y": []}]}"#,
            r#"{"data": [{"type": "no such type", "x": [1], "y": [1]}]}"#,
            r#"{"data": [{"x": [1], "y": [1]}]}"#,
            "{\n\"data\": [",
            "[]",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert_eq!(parse("{\n\"data\": [\n").unwrap_err().line, 2);
    }
}
