"""Speed of the operators compared with a peer library and with memory bandwidth, in one run."""
