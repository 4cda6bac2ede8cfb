"""torchvision's networks traced, frozen, reloaded and lowered."""

import torch
from torch import nn

from kit import Model, lower, model, reload
from vision_kit import image, network, traced


@model
def traced_squeezenet1_1():
    return traced("squeezenet1_1")


@model
def traced_resnet18():
    return traced("resnet18")


@model
def traced_mobilenet_v3_small():
    return traced("mobilenet_v3_small")


def script(name):
    return torch.jit.script(network(name))


def failing(module):
    return Model(module, runs=[(image(),)], fails=[(image(channels=4),)])


@model
def frozen_mobilenet_v2():
    return failing(torch.jit.freeze(script("mobilenet_v2")))


@model
def frozen_reloaded_squeezenet1_1():
    return failing(reload(torch.jit.freeze(script("squeezenet1_1"))))


@model
def reloaded_resnet18():
    return failing(reload(script("resnet18")))


class Cut(nn.Module):
    """A network of which one traced part is lowered."""

    def __init__(self, net, part):
        super().__init__()
        self.start = net
        self.part = part

    def forward(self, x):
        return self.part(self.start(x))


@model
def lowered_part_of_squeezenet1_1():
    net = network("squeezenet1_1")
    part = torch.jit.trace(net.classifier, (torch.rand(1, 512, 3, 3),))
    module = torch.jit.script(Cut(net.features, lower(part)))
    return failing(module)
