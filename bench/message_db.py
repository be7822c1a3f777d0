"""message-db on a PostgreSQL of its own, with the durability that Debian ships."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from bench.measuring import free_port

PEERS = Path(__file__).resolve().parent / "peers"
SQL = """\\set stream random(1, 1000)
SELECT message_store.write_message(gen_random_uuid()::varchar, 'order-' || :stream, 'OrderPaid',
  '{"number":12345,"text":"%s"}'::jsonb, '{"country":"c12","customer":"k12345"}'::jsonb);
""" % ("x" * 272)


def programs():
    """The folder of PostgreSQL's programs, or None."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders and (folders[-1] / "initdb").exists() else None


def available():
    return programs() is not None and shutil.which("npm") is not None


def installed():
    """The scripts of message-db, fetched as the lock file says."""
    scripts = PEERS / "node_modules" / "@eventide" / "message-db" / "database"
    if not scripts.exists():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=PEERS, check=True, stdout=subprocess.DEVNULL)
    return scripts


class MessageDb:
    """A cluster with message-db in it, in a folder, until `stop`."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.port = str(free_port())
        # PostgreSQL refuses to run as root.
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres")
        self.environment = os.environ | {
            "PGHOST": "127.0.0.1", "PGPORT": self.port, "PGUSER": "postgres", "PGDATABASE": "message_store",
            "PATH": f"{programs()}:{os.environ['PATH']}", "PGOPTIONS": "-c search_path=message_store,public"}
        self.run("initdb", "-D", self.folder / "data", "-U", "postgres", "--auth", "trust")
        self.run("pg_ctl", "-D", self.folder / "data", "-w", "-l", self.folder / "log", "-o",
                 f"-p {self.port} -c unix_socket_directories='' -c listen_addresses=127.0.0.1", "start")
        with contextlib.ExitStack() as undo:
            undo.callback(self.stop)
            subprocess.run(["bash", "install.sh"], cwd=installed(), env=self.environment | {"PGOPTIONS": ""},
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                if self.query(f"SHOW {setting}") != "on":
                    sys.exit(f"message-db would be measured with {setting} off")
            undo.pop_all()

    def run(self, *command):
        subprocess.run([*self.user, *map(str, command)], env=self.environment, check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL)

    def query(self, sql):
        return subprocess.check_output(["psql", "-qAt", "-c", sql], env=self.environment, text=True).strip()

    def write(self, clients, seconds):
        """Events a second with so many connections, each of one event a transaction."""
        script = self.folder / "write.sql"
        script.write_text(SQL)
        before = int(self.query("SELECT count(*) FROM messages"))
        out = subprocess.check_output(
            ["pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(seconds), "-f", str(script)],
            env=self.environment, text=True, stderr=subprocess.DEVNULL)
        done = int(re.search(r"transactions actually processed: (\d+)", out).group(1))
        if int(self.query("SELECT count(*) FROM messages")) - before != done:
            sys.exit("message-db does not hold what was written")
        return float(re.search(r"tps = ([0-9.]+)", out).group(1))

    def stop(self):
        self.run("pg_ctl", "-D", self.folder / "data", "-m", "fast", "stop")


@contextlib.contextmanager
def running(folder):
    """A `MessageDb` in a folder, for as long as the `with` lasts."""
    peer = MessageDb(folder)
    try:
        yield peer
    finally:
        peer.stop()
