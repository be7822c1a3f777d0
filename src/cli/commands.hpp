#pragma once

namespace annals::cli {

class Program;

/// Each adds one command (or group) to the program. See `annals COMMAND --help` and docs/cli.md.
void add_append(Program& program);
void add_bench(Program& program);
void add_read(Program& program);
void add_tail(Program& program);
void add_show(Program& program);
void add_streams(Program& program);
void add_verify(Program& program);
void add_key(Program& program);
void add_freeze(Program& program);
void add_catalogue(Program& program);
void add_config(Program& program);
void add_version(Program& program);

}  // namespace annals::cli
