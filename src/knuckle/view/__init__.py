"""Looking at models: a viewer in the browser, and pages that need no server."""

from knuckle.view.html import Page, export_html

__all__ = ["Page", "export_html"]
