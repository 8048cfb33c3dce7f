"""Colours (r, g, b, a) in 0 ... 1 for what a model gives none."""

from __future__ import annotations

import math

Color = tuple[float, float, float, float]

STEEL: Color = (0.33, 0.36, 0.42, 1.0)
MISSING: Color = (0.85, 0.1, 0.1, 1.0)
COLLISION: Color = (0.1, 0.65, 0.55, 0.35)
WHITE: Color = (0.97, 0.97, 0.97, 1.0)
BLACK: Color = (0.08, 0.08, 0.1, 1.0)
COM: Color = (0.98, 0.72, 0.12, 1.0)
GRAVITY: Color = (0.98, 0.72, 0.12, 1.0)
FORCE: Color = (0.1, 0.55, 0.9, 1.0)
MOMENT: Color = (0.65, 0.35, 0.85, 1.0)
APPLIED: Color = (0.9, 0.25, 0.3, 1.0)


def oklch(lightness: float, chroma: float, hue: float, alpha: float = 1.0) -> Color:
    """A colour of equal perceived lightness and strength whatever its hue [degrees].

    B. Ottosson, "A perceptual color space for image processing", 2020.
    """
    a = chroma * math.cos(math.radians(hue))
    b = chroma * math.sin(math.radians(hue))
    l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s
    green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s
    blue = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s
    return (_gamma(red), _gamma(green), _gamma(blue), alpha)


def of_depth(depth: int) -> Color:
    """From blue at the root through violet and rose to amber, light and dark in turn.

    Limbs that mirror one another get the same colours.
    """
    hue = 250.0 + 175.0 * (1.0 - 0.86**depth)
    return oklch(0.66 if depth % 2 else 0.74, 0.115, hue)


def _gamma(x: float) -> float:
    """From linear light to sRGB (IEC 61966-2-1)."""
    x = min(max(x, 0.0), 1.0)
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055
