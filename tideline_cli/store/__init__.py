"""The only SQL and the only apsw; no rules of its own.

The constants that identify a memory file stand here, so that opening a file loads no schema.
"""

SCHEMA_VERSION = 3
APPLICATION_ID = 0x74_69_64_65  # "tide"
ALLOW_NETWORK = "TIDELINE_ALLOW_NETWORK_FS"  # the variable that allows a file on a network
