"""Adapters for other frameworks: each wraps an open graph in the interface of a framework.

The rest of the package imports none of them. If a framework is missing, the error names its extra.
"""
