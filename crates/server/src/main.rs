//! `allclear`.

use std::process::ExitCode;

fn main() -> ExitCode {
    allclear_server::command::main()
}
