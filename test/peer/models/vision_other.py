"""torchvision's networks for segmentation, detection, optical flow, video, and its transformers."""

from typing import List

import torch
from torch import Tensor, nn
from torchvision.models.optical_flow import raft_small as make_raft_small

from kit import Model, model
from vision_kit import image, network, scripted


@model
def lraspp_mobilenet_v3_large():
    return scripted("lraspp_mobilenet_v3_large", weights_backbone=None)


@model
def deeplabv3_mobilenet_v3_large():
    return scripted("deeplabv3_mobilenet_v3_large", weights_backbone=None)


class Detector(nn.Module):
    """ssdlite without the step that PyTorch has no mobile archive for, which makes an ImageList."""

    def __init__(self, net):
        super().__init__()
        self.backbone = net.backbone
        self.head = net.head

    def forward(self, x: Tensor) -> List[Tensor]:
        features = list(self.backbone(x).values())
        outputs = self.head(features)
        return [outputs["bbox_regression"], outputs["cls_logits"]]


@model
def ssdlite320_mobilenet_v3_large():
    net = network("ssdlite320_mobilenet_v3_large", weights_backbone=None)
    module = torch.jit.script(Detector(net))
    return Model(module, fails=[(image(96),), (image(96, channels=4),)])


@model
def ssdlite320_whole():
    net = network("ssdlite320_mobilenet_v3_large", weights_backbone=None)
    return Model(torch.jit.script(net), mobile=False)


@model
def raft_small():
    net = make_raft_small(weights=None).eval()
    pair = (image(128), image(128))
    return Model(torch.jit.script(net), runs=[pair], fails=[(image(128), image(64))])


@model
def vit_b_16():
    return scripted("vit_b_16", size=224)


@model
def swin_t():
    return scripted("swin_t")


@model
def swin_v2_t():
    return scripted("swin_v2_t")


@model
def maxvit_t():
    return scripted("maxvit_t", size=224)


@model
def mvit_v1_b():
    return Model(torch.jit.script(network("mvit_v1_b")), fails=[(image(224),)])
