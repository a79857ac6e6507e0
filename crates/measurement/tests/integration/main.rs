//! All integration tests of the package, in one program so that the library is linked only once.

mod description;
mod evidence;
mod held_out;
mod idle;
mod interval;
mod name_check;
mod number_format;
mod round_trip;
mod scattered;
mod simulated;
mod staleness;
mod statistics;
mod verdict;
