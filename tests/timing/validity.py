"""Whether a Chrome trace is one that a viewer shows as it is meant."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import pairwise
from typing import Any

_NEEDED = {
    "X": ("name", "ts", "dur", "pid", "tid"),
    "M": ("name", "pid", "tid", "args"),
    "s": ("name", "cat", "id", "ts", "pid", "tid"),
    "f": ("name", "cat", "id", "ts", "pid", "tid", "bp"),
}
"""The fields of each phase, after the published trace event format."""
_CLOSE = 1e-9


def problems(document: Any) -> list[str]:
    """What is wrong, one sentence each: shape and fields, slices that overlap on a track,
    tracks without a name, arrows without both ends or outside a slice."""
    if not isinstance(document, dict) or not isinstance(document.get("traceEvents"), list):
        return ["there is no list 'traceEvents'"]
    events = document["traceEvents"]
    found = [text for event in events if (text := _shape(event))]
    if found:
        return found
    tracks: dict[tuple[int, int], list[tuple[float, float, str]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            span = (event["ts"], event["ts"] + event["dur"], event["name"])
            tracks[event["pid"], event["tid"]].append(span)
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    found += [f"track {track} has no name" for track in tracks if track not in named]
    for track, spans in tracks.items():
        spans.sort()
        for before, after in pairwise(spans):
            if after[0] < before[1] - _CLOSE:
                found.append(f"track {track}: {before} and {after} overlap")
    return found + _arrows(events, tracks)


def _shape(event: Any) -> str:
    if not isinstance(event, dict) or event.get("ph") not in _NEEDED:
        return f"not an event of this format: {event}"
    missing = [name for name in _NEEDED[event["ph"]] if name not in event]
    if missing:
        return f"{event} lacks {', '.join(missing)}"
    for name in ("pid", "tid"):
        if not isinstance(event[name], int):
            return f"{event}: {name} is no integer"
    for name in ("ts", "dur"):
        if name in event and (not isinstance(event[name], (int, float)) or event[name] < 0):
            return f"{event}: {name} is no time"
    return ""


def _arrows(
    events: list[Any], tracks: dict[tuple[int, int], list[tuple[float, float, str]]]
) -> list[str]:
    found: list[str] = []
    ends: dict[int, dict[str, Any]] = defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            if event["ph"] in ends[event["id"]]:
                found.append(f"arrow {event['id']} has two ends {event['ph']}")
            ends[event["id"]][event["ph"]] = event
            spans = tracks[event["pid"], event["tid"]]
            before = bisect_right(spans, event["ts"] + _CLOSE, key=lambda span: span[0])
            if not before or event["ts"] > spans[before - 1][1] + _CLOSE:
                found.append(f"arrow {event['id']}: its end {event['ph']} is in no slice")
    for number, pair in ends.items():
        if set(pair) != {"s", "f"}:
            found.append(f"arrow {number} has one end only")
        elif pair["s"]["ts"] > pair["f"]["ts"] + _CLOSE:
            found.append(f"arrow {number} leads back in time")
    return found
