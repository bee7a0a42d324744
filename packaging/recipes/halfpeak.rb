# Homebrew takes formulas from taps alone, so a tap of your own holds it:
#
#	brew tap-new "$USER/halfpeak" --no-git
#	cp halfpeak.rb "$(brew --repository "$USER/halfpeak")/Formula/"
#	brew install "$USER/halfpeak/halfpeak"
class Halfpeak < Formula
  desc "Calculator of what communication costs"
  homepage "https://github.com/halfpeak/halfpeak"
  url "https://github.com/halfpeak/halfpeak/releases/download/v@VERSION@/halfpeak-@VERSION@-source.tar.gz"
  sha256 "@SHA256 source.tar.gz@"
  license "BSD-3-Clause"

  depends_on "go" => :build

  def install
    ENV["CGO_ENABLED"] = "0"
    ENV["GOFLAGS"] = "-mod=vendor"
    system "go", "build", *std_go_args(ldflags: "-s -w"), "-tags", "explorer", "./cmd/halfpeak"
    generate_completions_from_executable(bin/"halfpeak", "completion")
    system bin/"halfpeak", "docs", "man", man1
  end

  test do
    assert_match "n½", shell_output("#{bin}/halfpeak predict clip --size 64KiB")
  end
end
