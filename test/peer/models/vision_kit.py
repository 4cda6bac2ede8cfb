"""How torchvision's networks become models: untrained, and small on disk."""

import torch
import torchvision

from kit import Model

LARGE_NETWORK = 6_000_000  # numbers in all parameters
LARGE = 20_000  # numbers in one parameter


def network(name, **options):
    options.setdefault("weights", None)
    net = torchvision.models.get_model(name, **options).eval()
    return thin(net)


def thin(net):
    """Parameters of large networks become one number seen as many, to keep archives small."""
    if sum(parameter.numel() for parameter in net.parameters()) < LARGE_NETWORK:
        return net
    for parameter in net.parameters():
        if parameter.numel() > LARGE:
            parameter.data = (torch.rand(1) / 100).expand(parameter.shape)
    return net


def image(size=64, channels=3):
    return torch.rand(1, channels, size, size)


def scripted(name, size=64, **options):
    """An image with a channel too many fails in the network's first layer."""
    module = torch.jit.script(network(name, **options))
    return Model(module, runs=[(image(size),)], fails=[(image(size, channels=4),)])


def traced(name, size=64, **options):
    module = torch.jit.trace(network(name, **options), (image(size),), check_trace=False)
    return Model(module, runs=[(image(size),)], fails=[(image(size, channels=4),)])
