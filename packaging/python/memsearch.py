# SPDX-License-Identifier: Apache-2.0
"""Records of memsearch in Python: tables as pandas DataFrames, or as lists of rows without pandas.

    import memsearch
    memsearch.causes("swim.ms")                     # what makes it slow, ranked
    memsearch.arrays("swim.ms", machine="epyc-2s")  # accesses and misses of each array there
    memsearch.thread_times("swim.ms")               # of each region, by thread
    memsearch.table(memsearch.report("swim.ms")["runs"])

A record may be the name of a .ms or .db file, of JSON that memsearch wrote, or that JSON itself as
a dict. Nested members become columns with dots: "region.line". A value that was not measured is
None, in DataFrames NaN, never 0. MEMSEARCH names the program if it is not in PATH.
"""
import itertools
import json
import os
import subprocess

try:
    import pandas
except ImportError:
    pandas = None


class Error(Exception):
    """memsearch could not read the record; the text is its message."""


def _json(command, record, options):
    if isinstance(record, dict):
        return record
    if str(record).endswith(".json"):
        with open(record, encoding="utf-8") as file:
            return json.load(file)
    words = [os.environ.get("MEMSEARCH", "memsearch"), command, "--json"]
    for name, value in options.items():
        if value is not None and value is not False:
            words.append("--" + name.replace("_", "-"))
            words += [] if value is True else [str(value)]
    done = subprocess.run(words + [str(record)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Error(done.stderr.strip() or f"{' '.join(words)}: exit status {done.returncode}")
    return json.loads(done.stdout)


def report(record, **options):
    """The document of `memsearch report --json`; options as machine="xeon-2s", phase=2."""
    return _json("report", record, options)


def _flat(row, prefix=""):
    flat = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat.update(_flat(value, prefix + name + "."))
        else:
            flat[prefix + name] = value
    return flat


def table(rows):
    """A DataFrame of rows of a document; without pandas a list of flat dicts."""
    flat = [_flat(row) for row in rows]
    return pandas.DataFrame(flat) if pandas else flat


def causes(record, **options):
    """Causes, ranked, with their shares of the time, places, arrays and remedies."""
    return table(report(record, **options)["causes"])


def findings(record, **options):
    """What was proven, with severity, its interval, confidence and evidence."""
    return table(report(record, **options)["findings"])


def candidates(record, **options):
    """What may be, and is neither proven nor disproven."""
    return table(report(record, **options)["candidates"])


def locks(record, **options):
    """Locks and critical constructs with hold and wait times."""
    return table(report(record, **options)["locks"])


def regions(record, **options):
    """Regions with kinds, source lines and times of all threads together in one step."""
    return table(report(record, **options)["regions"])


def thread_times(record, **options):
    """Time and waits of each thread in each region where one of them was measured."""
    return table({"run": row["run"], "region": row["id"], "place": row["place"], "thread": thread,
                  "time_ns": time, "wait_ns": wait}
                 for row in report(record, **options)["regions"]
                 for thread, (time, wait) in enumerate(itertools.zip_longest(
                     row["thread_times_ns"] or [], row["thread_waits_ns"] or []))
                 if time is not None or wait is not None)


def lines(record, **options):
    """Source lines with samples in each region: directory, file, line, module_id, share, time."""
    return table({"run": row["run"], "region": row["id"], **line}
                 for row in report(record, **options)["regions"] for line in row["hotspots"])


def modules(record, **options):
    """Paths and build-ids of the modules that module_id of a source line names."""
    return table(report(record, **options)["modules"])


def arrays(record, **options):
    """Data structures of all runs with their accesses, strides, misses and first touches."""
    document = _json("arrays", record, options)
    return table(dict(row, run=run["run"]) for run in document["runs"] for row in run["arrays"])
