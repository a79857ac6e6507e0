//! All tests of the chapter except its exercises, in one program to save
//! linking.

mod answers;
mod assembly;
mod references;
