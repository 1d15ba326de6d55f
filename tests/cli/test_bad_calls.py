"""Bad calls of the commands: one line about the option or argument, and exit status 2."""

import pytest

from .command_line import assert_bad_call, call

pytestmark = pytest.mark.tiny

ONE = "verify hardshrink_backward --dtype float16 --no-torch"
FILES = "--input in.npz --output out.npz"
MANY = 10**20


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("bnech", "No such command 'bnech'. Did you mean 'bench'?"),
        ("ops --jason", "No such option: --jason"),
        ("check --htm page.html program.py", "No such option: --htm "),
        ("verify tan", "OPERATOR: no operator 'tan'; "),
        ("study softplus_bakward", "did you mean softplus_backward? `ascendref ops` lists all"),
        ("bench nothing", "OPERATOR: no operator 'nothing'; `ascendref ops` lists all"),
        ("warmup tanh", "no operator 'tanh'; did you mean hardtanh? `ascendref ops`"),
        (
            f"run aclnnGelu {FILES}",
            "aclnnGelu is a function of the two-phase API alone; the operator is gelu",
        ),
        (
            f"run aclnnAdd {FILES}",
            "aclnnAdd is borrowed: PyTorch computes it, on the device alone; call"
            " ascendref.aclnn.aclnnAddGetWorkspaceSize, or it in C; `ascendref ops aclnnAdd` shows",
        ),
        ("study aclnnHansEncode", "OPERATOR: aclnnHansEncode is absent; `ascendref ops`"),
        ("ops aclnnHans", "OPERATOR: no operator 'aclnnHans'; "),
        (
            "npu --product AtlasZ -m module",
            "--product: is 'AtlasZ'; did you mean Atlas A3? families are Atlas training, Atlas"
            " inference, Atlas A2, Atlas A3, Atlas 200I/500 A2; chips are Ascend910A, ",
        ),
        ("npu missing.py", "SCRIPT: no such file: missing.py"),
        ("run softplus_backward --input a.npz", "--output"),
        ("verify --dtype float8", "--dtype: 'float8' is not allowed; allowed are float16"),
        (
            "bench --dtype float64",
            "--dtype: 'float64' is not allowed; allowed are float32, float16, bfloat16",
        ),
        ("warmup --dtype int8", "--dtype: 'int8' is not allowed"),
        ("verify --compute int8", "--compute: 'int8' is not allowed; allowed are"),
        ("warmup --compute int8", "--compute: 'int8' is not allowed"),
        (
            "verify --dtype float64 --compute float32",
            "--compute: nothing to measure: F64 data are measured in float64 alone",
        ),
        (f"{ONE} --sample 5", "must be an integer ≥ 1048576, not '5'"),
        (f"{ONE} --sample {MANY}", f"--sample: {MANY} is too large; at most"),
        (f"{ONE} --plot x.svg --report ./x.svg", "--report: x.svg is the file for"),
        (f"{ONE} --state x.md --report x.md", "--state: x.md is the file for --report"),
        ("bench --report x.svg --plot x.svg", "--report: x.svg is the file for"),
        ("verify glu --attr dim=2", "--attr: dim is 2; -2 to 1 are allowed"),
        ("study swiglu --attr dim=-3", "--attr: dim is -3; -2 to 1 are allowed"),
        ("verify --attr beta=1", "--attr: needs an OPERATOR"),
        ("study --attr beta=1", "--attr: needs an OPERATOR"),
        ("warmup --attr beta=1", "--attr: needs exactly one OPERATOR"),
        (f"{ONE} --attr beta=1", "hardshrink_backward has no attribute 'beta'"),
        ("warmup logit_grad --attr beta=1", "logit_grad has no attribute 'beta'"),
        ("verify smooth_l1_loss_backward --attr beta=-1", "beta is -1.0; it must be"),
        ("warmup smooth_l1_loss_backward --attr beta=-1", "beta is -1.0; it must be"),
        ("verify smooth_l1_loss_backward --attr reduction=3", "reduction is 3.0; allowed"),
        ("study logit_grad --attr eps=nan", "results of logit_grad are not finite"),
        (f"{ONE} --plot errors.txt", "--plot: the name of errors.txt must end in"),
        ("bench --plot picture.xyz", "--plot: the name of picture.xyz must end in one of"),
        ("verify --dtype float64 --plot x.png", "--plot: nothing to draw"),
        (f"{ONE} --plot no/such/errors.png", "the folder no/such does not exist"),
        (
            f"{ONE} --resume --state no-such.json",
            "--resume: cannot resume from no-such.json: No such file or directory",
        ),
        ("bench --peer numpy", "--peer: 'numpy' is not allowed; allowed are torch, jax, none"),
        (f"bench --size {MANY}", f"--size: {MANY} is too large; at most"),
        ("bench --threads 4096", "--threads: 4096 is too many; at most"),
        ("bench --seconds nan", "'--seconds': must be a positive number, not 'nan'"),
        ("bench --seconds 1s", "'--seconds': must be a positive number, not '1s'"),
        ("demo --epochs 0", "'--epochs': must be an integer ≥ 1, not '0'"),
        ("demo --seed x", "'--seed': must be an integer ≥ 0, not 'x'"),
    ],
)
def test_a_bad_call_is_one_line_and_status_2(command: str, words: str) -> None:
    assert_bad_call(call(*command.split()), words)
