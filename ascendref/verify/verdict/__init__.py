"""Whether results of anyone's are right: calls, their exact results, and verdicts on them."""
