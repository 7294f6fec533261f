"""Laws that users choose: small frozen classes for people, ids and numbers for kernels.

Below the stages and above nothing: a law knows speeds, loads and its own state, but no bodies and no rows.
"""

FEATURE = "laws"  # see `kernels.prepare`
