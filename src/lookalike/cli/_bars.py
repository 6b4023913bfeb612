"""Bars drawn in the terminal."""


def draw_bar(share: float, width: int) -> str:
    """A bar in eighths of a character."""
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()
