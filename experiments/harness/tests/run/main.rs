//! Runs a chapter with misbehaving benchmarks, as `cargo run` would.

mod cells;
mod recorded;
mod rows;
mod runs;
mod sitting;
mod verify;

use std::process::ExitCode;

use harness::in_time;
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if std::env::var_os(sitting::PROGRAM).is_some() {
        return harness::main(cells::chapter());
    }
    let mut arguments = Arguments::from_args();
    // Two tests at the same time would disturb each other, and disturbed
    // rounds are repeated.
    arguments.test_threads.get_or_insert(1);
    macro_rules! trials {
        ($($test:path),* $(,)?) => {
            vec![$(Trial::test(stringify!($test), || {
                in_time(stringify!($test), $test);
                Ok(())
            })),*]
        };
    }
    let trials = trials![
        rows::each_row_reads_as_expected,
        rows::each_visit_is_logged,
        rows::the_header_says_what_was_measured,
        rows::without_git_the_commit_is_unknown_and_the_run_is_read,
        runs::what_cannot_be_done_is_refused,
        verify::verify_names_what_is_wrong,
        verify::verify_waits_for_an_answer,
        runs::system_calls_are_counted_by_name,
        rows::every_runtime_runs_or_says_why_not,
        runs::a_runtime_has_all_cores_whoever_starts_it,
        runs::one_core_is_enough_for_all_but_neighbours,
        runs::without_room_for_criterion_s_files_there_are_reasons,
        rows::a_window_keeps_what_it_counted,
        runs::the_table_says_how_contenders_compare_and_what_was_left_unanswered,
        runs::what_is_taken_apart_costs_no_other_cell_anything,
        rows::what_a_unit_adds_is_the_slope_of_a_line,
        runs::a_disturbed_round_is_done_again,
        runs::nothing_outlives_what_started_it,
        runs::a_run_leaves_no_temporary_files,
        recorded::an_operation_has_the_steps_of_its_plan,
        recorded::what_cannot_be_recorded_says_why,
        recorded::no_run_measures_what_is_recorded,
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}
