"""torchvision's convolutional classification networks, scripted."""

import torch

from kit import Model, model
from vision_kit import image, network, scripted


@model
def squeezenet1_1():
    return scripted("squeezenet1_1")


@model
def mobilenet_v2():
    return scripted("mobilenet_v2")


@model
def mobilenet_v3_small():
    return scripted("mobilenet_v3_small")


@model
def shufflenet_v2_x0_5():
    return scripted("shufflenet_v2_x0_5")


@model
def mnasnet0_5():
    return scripted("mnasnet0_5")


@model
def resnet18():
    return scripted("resnet18")


@model
def regnet_y_400mf():
    return scripted("regnet_y_400mf")


@model
def googlenet():
    return scripted("googlenet", init_weights=False)


@model
def densenet121():
    return scripted("densenet121")


@model
def s3d():
    """A video network: small frames fail in its last pooling, an image in its first layer."""
    module = torch.jit.script(network("s3d"))
    return Model(module, fails=[(torch.rand(1, 3, 16, 64, 64),), (image(),)])
