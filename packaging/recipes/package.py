# Spack: put this file into packages/halfpeak of a repository of your own ("spack repo create"),
# then "spack install halfpeak". The source tarball brings its modules: no network is used.
from spack.package import *


class Halfpeak(Package):
    """Calculator of what communication costs: it fits LogP, LogGP and pipeline models to the output
    of benchmarks, predicts message times and collectives, and simulates whole parallel programs."""

    homepage = "https://github.com/halfpeak/halfpeak"
    url = "https://github.com/halfpeak/halfpeak/releases/download/v@VERSION@/halfpeak-@VERSION@-source.tar.gz"
    license("BSD-3-Clause")

    version("@VERSION@", sha256="@SHA256 source.tar.gz@")

    depends_on("go@@GO@:", type="build")

    def setup_build_environment(self, env):
        env.set("CGO_ENABLED", "0")
        env.set("GOPROXY", "off")
        env.set("GOTOOLCHAIN", "local")
        env.set("GOFLAGS", "-mod=vendor")
        env.set("GOCACHE", join_path(self.stage.path, "go-cache"))

    def install(self, spec, prefix):
        go = which("go", required=True)
        mkdirp(prefix.bin)
        go("build", "-trimpath", "-tags", "explorer", "-ldflags", "-s -w", "-o", prefix.bin.halfpeak, "./cmd/halfpeak")
        halfpeak = Executable(prefix.bin.halfpeak)
        halfpeak("docs", "man", prefix.share.man.man1)
        mkdirp(prefix.share.join("bash-completion").completions)
        with open(prefix.share.join("bash-completion").completions.halfpeak, "w") as f:
            halfpeak("completion", "bash", output=f)

    @run_after("install")
    def works(self):
        Executable(self.prefix.bin.halfpeak)("predict", "clip", "--size", "64KiB", output=str)
