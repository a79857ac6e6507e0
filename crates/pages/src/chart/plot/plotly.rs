//! Creates pictures for plotly.js with mdbook-plotly, and corrects them. This is the only file
//! that knows plotly's JSON.
//!
//! mdbook-plotly 0.3.0 reads a description of a plot, takes the parts that it understands, and
//! creates the data for plotly.js. It can't express error bars, dashes, text on axes or ids, and
//! gets marks and colours wrong. Whatever it can't express is in plotly.js's own format under
//! `extra` in the respective part of the description, and is merged into the result.

use mdbook_plotly::code_handler::plot_obj_parser;
use mdbook_plotly::preprocessor::config::MapEvalConfig;
use serde_json::{Value, json};

use crate::chart::{
    At, Axis, BOTTOM, Label, Layer, Legend, Marker, Role, RowTooltip, Scene, Shape, literal,
};

/// The tooltip template of a point. It shows the point's `customdata`, and hides the second box
/// that plotly.js would add.
const POINTED_AT: &str = "%{customdata}<extra></extra>";

/// Returns the `data`, `layout` and `config` with which plotly.js draws `scene`.
///
/// # Errors
///
/// The reason, if mdbook-plotly refuses the scene.
pub(super) fn of(scene: &Scene) -> Result<Value, String> {
    let Scene { x, y, margin: [left, right, top], legend, legend_title, .. } = scene;
    let traces: Vec<Value> = scene.layers.iter().map(trace).collect();
    let labels: Vec<Value> = scene.labels.iter().map(|label| annotation(label, x, y)).collect();
    let margin = |right: f64| json!({"l": left, "r": right, "t": top, "b": BOTTOM});
    let mut meta = json!({"chapter": scene.chapter, "divisor": scene.divisor});
    if *legend == Legend::WhereNarrow {
        // measured.js uses this layout on screens without room for the names of lines.
        meta["narrow"] = json!({"showlegend": true, "annotations": [], "margin": margin(16.0)});
    }
    let mut plot = json!({
        "data": traces,
        "layout": {
            "xaxis": axis(x),
            "yaxis": axis(y),
            "show_legend": *legend == Legend::Always,
            "extra": {
                "barmode": "overlay",
                // Places the legend above the picture.
                "legend": {
                    "orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom",
                    "title": {"text": legend_title, "font": {"size": 13}},
                },
                "annotations": labels,
                "margin": margin(*right),
                "font": {"size": 13},
                "meta": meta,
            },
        },
        "extra": {"config": {"displayModeBar": false, "responsive": true}},
    });
    let made = plot_obj_parser::parse(&mut plot, &MapEvalConfig::default())
        .map_err(|error| format!("mdbook-plotly cannot read the plot: {error:#}"))?;
    let mut made = serde_json::to_value(made).map_err(|error| error.to_string())?;
    made.as_object_mut().map(|made| made.remove("frames"));
    merge(&mut made, plot);
    Ok(made)
}

/// Merges the rest of the description into mdbook-plotly's result: objects by key, lists of
/// objects by index, and the entries of `extra` one level up. The parts that mdbook-plotly
/// understood are already null.
fn merge(into: &mut Value, from: Value) {
    match from {
        Value::Object(from) if into.is_object() => {
            for (key, value) in from.into_iter().filter(|(_, value)| !value.is_null()) {
                merge(if key == "extra" { into } else { &mut into[&key] }, value);
            }
        }
        Value::Array(from) if into[0].is_object() => {
            for (place, value) in from.into_iter().enumerate() {
                merge(&mut into[place], value);
            }
        }
        from => *into = from,
    }
}

fn axis(axis: &Axis) -> Value {
    let (ticks, labels): (Vec<f64>, Vec<&str>) =
        axis.ticks.iter().map(|(tick, label)| (*tick, &**label)).unzip();
    let mut extra = json!({
        "tickvals": ticks,
        "ticktext": labels,
        "tickangle": 0,
        "range": axis.range(),
        "automargin": true,
        "zeroline": axis.has_zero_line,
    });
    if axis.has_grid {
        extra["title"] = json!({"font": {"size": 13}});
    } else {
        extra["showgrid"] = json!(false);
    }
    let mut description = json!({"title": axis.title, "extra": extra});
    if axis.is_log {
        description["type"] = json!("log");
    }
    description
}

fn annotation(label: &Label, x: &Axis, y: &Axis) -> Value {
    let mut annotation = json!({
        "text": label.text,
        "showarrow": false,
        "xanchor": if label.shift < 0.0 { "right" } else { "left" },
        "xshift": label.shift,
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

fn trace(layer: &Layer) -> Value {
    let points = &layer.points;
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().map(|point| point.at).unzip();
    let (value, error) = if layer.is_lying { ("x", "error_x") } else { ("y", "error_y") };
    let mut meta = json!({"machine": layer.machine});
    if matches!(layer.role, None | Some(Role::Visits(_))) {
        meta["value"] = json!(value);
    }
    if let Some(role) = &layer.role {
        merge(&mut meta, json!(role));
    }
    // The string contains two colours; measured.js takes the one for the reader's theme.
    let colour = layer.colour.to_string();
    let (mode, shape) = match &layer.shape {
        Shape::Area => {
            let line = json!({"width": 0});
            ("lines", json!({"fill": "toself", "fillcolor": colour, "opacity": 0.2, "line": line}))
        }
        Shape::Line { style, marker } => {
            let (dash, _) = style.dashes(layer.is_own);
            let line = json!({"color": colour, "dash": dash, "width": 2});
            match marker {
                Some(marker) => {
                    ("linesmarkers", json!({"line": line, "marker": mark(layer, marker)}))
                }
                None => ("lines", json!({"line": line})),
            }
        }
        Shape::Markers(marker) => ("markers", json!({"marker": mark(layer, marker)})),
        Shape::Bars { width, hatching } => {
            // The end of a colour as `#rrggbbaa`.
            let inside = if layer.is_own { "00" } else { TINT };
            let marker = json!({
                "color": format!("{colour}{inside}"),
                "line": {"color": colour, "width": 2},
                "pattern": {
                    "shape": hatching.map_or("", |symbol| symbol.look()[3]),
                    "fillmode": "overlay",
                    "fgcolor": colour,
                    "fgopacity": 0.5,
                    "size": 7,
                },
            });
            ("", json!({"orientation": "h", "width": width, "marker": marker}))
        }
    };
    let mut extra = json!({"meta": meta});
    let mut trace = match mode {
        "" => json!({"type": "bar", "x": x, "y": y}),
        mode => json!({"type": "scatter", "mode": mode, "x": x, "y": y}),
    };
    if let Some((name, is_in_legend)) = &layer.series {
        trace["name"] = json!(literal(name));
        trace["show_legend"] = json!(is_in_legend);
        extra["legendgroup"] = json!(name);
    }
    let whiskers = points.iter().filter_map(|point| point.whisker);
    let (below, above): (Vec<f64>, Vec<f64>) = whiskers.unzip();
    if !above.is_empty() {
        extra[error] = json!({
            "type": "data",
            "symmetric": false,
            "array": above,
            "arrayminus": below,
            "thickness": 2,
            "width": 4,
        });
    }
    let rows = points.iter().filter_map(|point| point.row.as_ref());
    let (ids, words): (Vec<&str>, Vec<String>) = rows.map(|row| (&*row.id, words(row))).unzip();
    let pointed_at = if ids.is_empty() {
        json!({"hoverinfo": "skip"})
    } else {
        json!({"ids": ids, "customdata": words, "hovertemplate": POINTED_AT})
    };
    merge(&mut extra, pointed_at);
    merge(&mut extra, shape);
    trace["extra"] = extra;
    trace
}

fn mark(layer: &Layer, Marker { symbol, size, outline }: &Marker) -> Value {
    let name = symbol.look()[2];
    let open = if layer.is_own { "-open" } else { "" };
    let colour = layer.colour.to_string();
    let mut marker = json!({"color": colour, "symbol": format!("{name}{open}"), "size": size});
    if matches!(layer.role, Some(Role::Visits(_))) {
        // Single measurements overlap, so they are drawn faintly.
        marker["opacity"] = json!(0.35);
    }
    if let Some(width) = outline {
        marker["line"] = json!({"color": colour, "width": width});
    }
    marker
}

fn words(row: &RowTooltip) -> String {
    format!("{}<br>{}", literal(&row.id), literal(&row.figure))
}

/// The opacity of a bar within its outline, 0.4 in hexadecimal: the whisker on it stands out in
/// every theme.
const TINT: &str = "66";
