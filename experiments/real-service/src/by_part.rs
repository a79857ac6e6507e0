//! Experiment `by-part`: the cost of each part of an order, on Tokio with one
//! worker per core. Each contender does one part more than the previous one.

use std::path::Path as File;

use harness::{Cell, Experiment};

use crate::load::Request;
use crate::path::Path;
use crate::servers::Arm;
use crate::visit::{self, Setting, CPU_TIMES, WINDOW};

pub(crate) fn experiment(program: &File) -> Experiment {
    let request = Request::new(Path::Fixed, 0).length();
    let in_memory = |path| Setting { path, ..Setting::in_memory(Arm::Tokio) };
    let bytes =
        Setting { arm: Arm::Bytes { request }, ..in_memory(Path::Fixed) };
    let database = Setting::centre(Arm::Tokio);
    let cell = |name, setting| cell(program, name, setting);
    Experiment::new("by-part", "throughput", "bytes").cells([
        cell("bytes", bytes).full_only(),
        cell("HTTP", in_memory(Path::Fixed)).full_only(),
        cell("JSON", in_memory(Path::Json)).full_only(),
        cell("map", in_memory(Path::Orders)),
        cell("database", database).twinned(),
        cell("TLS", Setting { tls: true, ..database }).full_only(),
    ])
}

fn cell(program: &File, name: &str, setting: Setting) -> Cell {
    let program = program.to_owned();
    let take = move |window| visit::closed(&program, &setting, window);
    Cell::window(name, WINDOW, take)
        .also(&CPU_TIMES)
        .needs(move || setting.can_run())
}
