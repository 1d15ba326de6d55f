"""The commands, by the group in which the help lists them: their options and their help."""
