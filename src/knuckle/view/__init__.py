"""Looking at models: a viewer in the browser, and pages that need no server.

`kn.view(model)` opens the viewer: the module itself can be called, so that
`kn.view.export_html` and `kn.view(...)` go together whatever was imported first.
"""

import sys
from types import ModuleType
from typing import Any

from knuckle.view.html import Page, export_html
from knuckle.view.live import Viewer, view

__all__ = ["Page", "Viewer", "export_html", "view"]


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Viewer:
        return view(*arguments, **options)


_Callable.__call__.__doc__ = view.__doc__
sys.modules[__name__].__class__ = _Callable
