"""Whole or not at all: the one owner of how files and folders come to be on a disk."""

from lookalike.base.writing.files import write_file
from lookalike.base.writing.folders import check_writable, whole_folder

__all__ = ["check_writable", "whole_folder", "write_file"]
