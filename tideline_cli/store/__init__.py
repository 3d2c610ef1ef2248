"""The only SQL and the only apsw; no rules of its own.

What a memory file is known by stands here, so that opening one loads no schema.
"""

SCHEMA_VERSION = 2
APPLICATION_ID = 0x74_69_64_65  # "tide"
ALLOW_NETWORK = "TIDELINE_ALLOW_NETWORK_FS"  # the variable that allows a file on a network
