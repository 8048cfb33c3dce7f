"""No test reads or writes the user's cache; those of the cache have folders of their
own."""

from __future__ import annotations

import os

os.environ["KNUCKLE_CACHE"] = "off"  # for the processes that tests start, too
