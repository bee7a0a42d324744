# What does a message cost? Fit lines to osu_latency, save and draw them.
halfpeak fit latency.txt --save my.toml --plot latency.png
# What will other sizes take, with 95 % intervals?
halfpeak predict my.toml --size 100,64KiB,8MiB
# How soon can the next message follow? Fit latency and bandwidth together.
halfpeak fit latency.txt bandwidth.txt --model loggp --save net.toml
# What does a network of twice the bandwidth buy an allreduce on 64 nodes?
halfpeak whatif net.toml --collective allreduce/best --ranks 64 --set 'fit.G*=0.5'
# What does a recorded program take on another network?
halfpeak simulate trace.* --machine net.toml --machine clip
# How does a program of ten lines scale on this network?
halfpeak simulate jacobi.star --ranks 16,64,256 --machine net.toml
# What does a measured collective cost on more nodes than were measured?
halfpeak fit allreduce.csv --save reduce.toml
halfpeak collective allreduce reduce.toml --ranks 128 --ranks-per-node 8
# The same for GPUs, from the logs of nccl-tests
halfpeak fit nccl.log --save gpus.toml
halfpeak collective allreduce gpus.toml --ranks 64 --ranks-per-node 8
# Which nodes of a cluster are slow?
halfpeak fleet fleet.csv
