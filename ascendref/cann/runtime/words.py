"""Names of Python in messages, in the words of C."""

from __future__ import annotations

import re
from typing import Final

#: pattern in the messages of other subpackages -> the words for a program in C; the first match
_WORDS: Final = (
    (r"\bis None\b", "is NULL"),
    (r"\bmust be None\b", "must be NULL"),
    (r", or -1 or None to wait", ", or -1 to wait"),
    (r"\bDevice\.malloc\(workspaceSize\)", "aclrtMalloc"),
    (r"\bDevice\.malloc or Device\.empty\b", "aclrtMalloc"),
    (r"\b(?:Stream\.)?subscribe_report\b", "aclrtSubscribeReport"),
    (r"\bunsubscribe_report\b", "aclrtUnSubscribeReport"),
    (r"\blaunch_callback\b", "aclrtLaunchCallback"),
    (r"\bbegin_capture\b", "aclmdlRICaptureBegin"),
    (r"\bset_repeatable\b", "aclSetAclOpExecutorRepeatable"),
    (r"\bset_tensor_address\b", "aclSetTensorAddr"),
    (r"\bcreate a new Device in the child\b", "call aclrtSetDevice in the child"),
    (r"\bcreate a new Device\b", "reset the device"),
    (r"\bnbytes is\b", "size is"),
    (r"\bmust be a Tensor\b", "must be an aclTensor"),
)
_ANY: Final = re.compile("|".join(f"({pattern})" for pattern, _ in _WORDS))


def in_c(text: str) -> str:
    """Return messages as a program in C is told them."""
    return _ANY.sub(lambda found: _WORDS[(found.lastindex or 0) - 1][1], text)
