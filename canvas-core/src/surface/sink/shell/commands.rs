//! Commands that treat their arguments as code or as another command. The list is complete by definition, and all other
//! commands accept a value as one word. Options that run or write something, as `tar` and `sort` have, are not a risk
//! here. A word may not begin with a value that begins with `-`, unless `--` precedes it.

/// The parts of a command that it treats as code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Its arguments and its input, for a shell, an interpreter or a database shell.
    Script,
    /// Its arguments, which form another command.
    Command,
    /// Its arguments, but not its input.
    Arguments,
}

/// Returns the parts that a command with this name or path treats as code, or `None` if it does not treat any as code.
pub(super) fn reads(name: &str) -> Option<Reads> {
    let base = name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let base = base.strip_suffix(".exe").unwrap_or(&base);
    // As in python3.11 and bash-5.2.
    let unversioned = base.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
    let is_listed = |list: &str| has(list, base) || has(list, unversioned);
    if [SHELLS, INTERPRETERS, DATABASES].into_iter().any(is_listed) {
        Some(Reads::Script)
    } else if is_listed(COMMAND) {
        Some(Reads::Command)
    } else if is_listed(ARGUMENTS) {
        Some(Reads::Arguments)
    } else {
        None
    }
}

/// Whether a word opens or closes a compound command in any shell, if a command's name is expected.
pub(super) fn is_reserved(word: &str) -> bool {
    has(RESERVED, word)
}

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

const RESERVED: &str = "
    case do done elif else end esac fi for foreach function if in namespace nocorrect repeat select switch then
    until while
";

const SHELLS: &str = "
    . ash bash cmd csh dash elvish eval fish hush ksh ksh93 lksh loksh mksh nu oksh osh pdksh posh powershell pwsh
    rbash rc rksh rzsh sh source tcsh xonsh yash zsh
";

const INTERPRETERS: &str = "
    bc bun clojure dc deno ed elixir emacs erl ex expect gdb ghci gnuplot groovy guile iex irb java jshell julia
    lldb lua luajit m4 node nodejs octave osascript perl php pypy python pythonw r racket rscript ruby sbcl scala
    swift tclsh ts-node tsx vi vim wish
";

/// Database shells.
const DATABASES: &str = "
    clickhouse clickhouse-client cqlsh duckdb influx mariadb mongo mongosh mysql psql redis-cli sqlcmd sqlite
    sqlplus
";

const COMMAND: &str = "
    - at batch builtin busybox bwrap catchsegv chroot chrt command coproc cpulimit crontab daemonize doas dumb-init
    eatmydata entr env exec fakeroot faketime firejail flock gmake gosu ionice linux32 linux64 ltrace make mosh nice
    noglob nohup npx nsenter numactl parallel perf pipx pkexec prlimit proot proxychains rlwrap rsh rsync runcon
    runuser scp screen script setarch setpriv setsid sftp sg socat ssh sshpass stdbuf strace su su-exec sudo
    systemd-run taskset time timeout tmux unshare watch xargs
";

/// Most of these builtins evaluate a subscript such as `a[$(command)]` in a name or a number. Examples are `test` in
/// mksh and bash, `read` and `unset` in bash, mksh and zsh, and `let`, `shift` and `getopts` in mksh.
const ARGUMENTS: &str = "
    autoload awk bind bindkey break compgen complete compopt continue declare dirs emulate enable exit export expr
    fc find float functions gawk getopts gsed hash history integer jobs jq less let local man mapfile mawk more nawk
    popd print pushd read readarray readonly return sed set setopt shift shopt test trap typeset ulimit umask unset
    vared wait yq zmodload
";
